// Frontend attributes, shardings, donors, subgraphs, and what the builder tells of its operations.
#include "eval/eval.h"
#include "record.h"
#include "sinter/xla_compat.h"

namespace sinter {
namespace {

TEST_CASE("frontend attributes go to what is recorded from then on") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2});
  FrontendAttributeMap attributes;
  attributes.mutable_map()->insert({"who", "me"});
  (*attributes.mutable_map())["how"] = "say \"so\"";
  b.SetFrontendAttributes(attributes);
  Op y = Neg(x);
  CHECK(b.frontend_attributes().map().at("who") == "me");
  {
    FrontendAttributeMap inner;
    inner.entries["who"] = "you";
    ScopedFrontendAttributes scope(&b, inner);
    y = Abs(y);
  }
  Op z = Exp(y);
  b.ClearFrontendAttributes();
  Op last = Sin(z);
  CHECK(b.SetInstructionFrontendAttribute(last, "one", "1").ok());
  CHECK(b.SetInstructionFrontendAttribute(last, "two", "2").ok());
  CHECK(b.SetInstructionFrontendAttribute(last, "one", "uno").ok());
  CHECK_FALSE(b.SetInstructionFrontendAttribute(Op(), "one", "1").ok());
  CHECK(Body(b) ==
        "negate = f32[2] negate(x), frontend_attributes={how=\"say \\\"so\\\"\",who=\"me\"}\n"
        "abs = f32[2] abs(negate), frontend_attributes={who=\"you\"}\n"
        "exponential = f32[2] exponential(abs), "
        "frontend_attributes={how=\"say \\\"so\\\"\",who=\"me\"}\n"
        "ROOT sine = f32[2] sine(exponential), frontend_attributes={one=\"uno\",two=\"2\"}");
}

TEST_CASE("composites keep the frontend attributes of their builder") {
  Builder b("t");
  FrontendAttributeMap attributes;
  attributes.entries["who"] = "me";
  Op x = Param(b, 0, kF32, {2});
  b.SetFrontendAttributes(attributes);
  CompositeCall(
      &b, [](Op a) { return Neg(a); }, {x}, "test.negate");
  CHECK(Body(b) ==
        "ROOT call = f32[2] call(x), to_apply=call_computation, is_composite=true, "
        "frontend_attributes={composite.name=\"test.negate\",composite.version=\"0\",who=\"me\"}");
}

TEST_CASE("shardings go to what is recorded from then on") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {4, 2});
  OpSharding tiled;
  tiled.set_type(OpSharding::OTHER);
  for (int64_t n : {2, 1, 2}) tiled.add_tile_assignment_dimensions(n);
  for (int64_t n : {0, 2, 1, 3}) tiled.add_tile_assignment_devices(n);
  tiled.set_replicate_on_last_tile_dim(true);
  b.SetSharding(tiled);
  REQUIRE(b.sharding().has_value());
  Op y = Neg(x);
  b.ClearSharding();
  Op z = Abs(y);
  OpSharding maximal;
  maximal.set_type(OpSharding::MAXIMAL);
  maximal.add_tile_assignment_devices(1);
  CHECK(b.SetInstructionSharding(z, maximal).ok());
  {
    ScopedSharding scope(&b, OpSharding());
    Sin(z);
  }
  CHECK_FALSE(b.sharding().has_value());
  CHECK((*b.GetOpSharding(y))->tile_assignment_devices(1) == 2);
  CHECK_FALSE(b.GetOpSharding(x)->has_value());
  CHECK(Body(b) ==
        "negate = f32[4,2] negate(x), "
        "sharding={devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}\n"
        "abs = f32[4,2] abs(negate), sharding={maximal device=1}\n"
        "ROOT sine = f32[4,2] sine(abs), sharding={replicated}");
}

TEST_CASE("shardings as text") {
  OpSharding s;
  s.type = OpSharding::OTHER;
  s.tile_assignment_dimensions = {2, 4};
  s.iota_reshape_dims = {4, 2};
  s.iota_transpose_perm = {1, 0};
  CHECK(s.ToString() == "{devices=[2,4]<=[4,2]T(1,0)}");
  OpSharding tuple;
  tuple.set_type(OpSharding::TUPLE);
  tuple.add_tuple_shardings()->set_type(OpSharding::MANUAL);
  tuple.add_tuple_shardings()->set_type(OpSharding::UNKNOWN);
  CHECK(tuple.ToString() == "{{manual}, {unknown}}");
}

TEST_CASE("donors lend to the first result of their shape, else of as many bytes") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Param(b, 1, kF32, {2});
  Param(b, 2, kS32, {2});
  Param(b, 3, kF32, {4});
  b.SetUpAlias({1}, 1, {});
  b.AddBufferDonor(3, {});
  b.AddBufferDonor(2, {});
  b.AddBufferDonor(0, {});
  Tuple(&b, {Neg(x), Neg(y), Abs(x)});
  auto c = b.Build();
  REQUIRE(c.ok());
  CHECK(c->ToString().find("input_output_alias={ {1}: (1, {}, may-alias), {0}: (0, {}, may-alias), "
                           "{2}: (2, {}, may-alias) }") != std::string::npos);
}

TEST_CASE("the subgraph of a constant") {
  Builder b("t");
  Op x = Parameter(&b, 0, *Shape::Parse("f32[3,<=8]"), "x");
  Op sum = Reduce(Iota(&b, kS32, 4), 0, [](Op p, Op q) { return p + q; }, {0});
  Op sizes = Add(sum, Add(GetDimensionSize(x, 0), GetDimensionSize(x, 1)));
  absl::StatusOr<Computation> bound = b.BuildConstantSubGraph(sizes);
  INFO(bound.status().message());
  REQUIRE(bound.ok());
  CHECK(bound->GetProgramShape()->parameters_size() == 0);
  CHECK(*Evaluate(*bound->module(), {}) == Literal::R0<int32_t>(6 + 3 + 8));
  auto unknown = b.BuildConstantSubGraph(sizes, /*dynamic_dimension_is_minus_one=*/true);
  CHECK(*Evaluate(*unknown->module(), {}) == Literal::R0<int32_t>(6 + 3 - 1));
  auto refused = b.BuildConstantSubGraph(Neg(x));
  CHECK(refused.status().message() ==
        "BuildConstantSubGraph: negate 'negate' of f32[3,<=8] is not constant, since it depends on "
        "parameter 'x'");
  // What has been recorded is still there.
  CHECK(b.Build(sizes)->GetProgramShape()->parameters_size() == 1);
}

TEST_CASE("operations as shapes and text") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2}), y = Neg(x), z = x + y;
  auto shapes = b.GetOperandShapes({x, z});
  REQUIRE(shapes.ok());
  CHECK(*shapes == std::vector<Shape>{Shape(kF32, {2}), Shape(kF32, {2})});
  CHECK_FALSE(b.GetOperandShapes({x, Op()}).ok());
  CHECK(b.OpToString(z) ==
        "add = f32[2] add(x, negate)\n"
        "  x = f32[2] parameter(0)\n"
        "  negate = f32[2] negate(x)\n");
  CHECK(b.OpToString(Op()) == "an operand is an op that no builder made");
}

TEST_CASE("computations by id") {
  Builder b("t");
  CHECK_FALSE(ComputationId().valid());
  CHECK_FALSE(b.AddSubComputation(Computation()).valid());
  CHECK(ErrorOf(b) == "AddSubComputation: the computation is null");
  Builder c("c");
  ComputationId id = c.AddSubComputation([] {
    Builder s("s");
    Neg(Param(s, 0, kF32, {}));
    return *s.Build();
  }());
  CHECK(c.Build(id)->name() == "s");
  CHECK_FALSE(c.Build(ComputationId()).ok());
  CHECK_FALSE(Builder("empty").BuildSubComputation().ok());
}

TEST_CASE("dimension numbers of convolutions") {
  ConvolutionDimensionNumbers n = Builder::CreateDefaultConvDimensionNumbers();
  CHECK(Builder::Validate(n).ok());
  n.set_kernel_output_feature_dimension(1);
  CHECK(Builder::Validate(n).message() ==
        "convolution: the dimension numbers of the kernel must be 0 to 3, each once; sorted they "
        "are 1,1,2,3");
  n.clear_output_spatial_dimensions();
  CHECK(Builder::Validate(n).message() ==
        "convolution: input, kernel and output have 2, 2 and 0 spatial dimensions");
}

TEST_CASE("custom calls with all that XLA says of them") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {2});
  CustomCall(&b, "f", {x}, Shape(kF32, {2}), "how", true, {{{}, {0, {}}}}, nullptr,
             CustomCallSchedule::kLatest, CustomCallApiVersion::kStatusReturning);
  CHECK(
      Body(b) ==
      "ROOT custom-call = f32[2] custom-call(x), custom_call_target=\"f\", backend_config=\"how\", "
      "custom_call_has_side_effect=true, api_version=API_VERSION_STATUS_RETURNING, "
      "output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_LATEST");
  x = Param(b, 0, kF32, {2});
  CustomCall(&b, "f", {x}, Shape(kF32, {3}), "", false, {{{}, {0, {}}}});
  CHECK(ErrorOf(b) ==
        "custom-call: element {} of the result and element {} of operand 0 must be arrays of one "
        "shape; operands f32[2]");
  Builder c("c");
  const Literal literal = Literal::R0<float>(1);
  CustomCall(&c, "f", {}, Shape(kF32), "", false, {}, &literal);
  CHECK(c.first_error().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("transfers without tokens, and with the host") {
  Builder b("t");
  ChannelHandle channel;
  channel.set_handle(2);
  channel.set_type(ChannelHandle::DEVICE_TO_DEVICE);
  CHECK(channel.handle() == 2);
  Send(Param(b, 0, kF32, {2}), channel);
  Op y = Recv(&b, Shape(kF32, {3}), channel);
  CHECK(*b.GetShape(y) == Shape(kF32, {3}));
  CHECK(Body(b) ==
        "after-all = token[] after-all()\n"
        "send = (f32[2], u32[], token[]) send(x, after-all), channel_id=2\n"
        "send-done = token[] send-done(send), channel_id=2\n"
        "after-all.1 = token[] after-all()\n"
        "recv = (f32[3], u32[], token[]) recv(after-all.1), channel_id=2\n"
        "recv-done = (f32[3], token[]) recv-done(recv), channel_id=2\n"
        "ROOT get-tuple-element = f32[3] get-tuple-element(recv-done), index=0");
  Builder c("c");
  SendToHost(Param(c, 0, kF32, {2}), CreateToken(&c), Shape(kF32, {2}), channel);
  CHECK(ErrorOf(c) == "send: the channel must be from the device to the host");
  Builder d("d");
  channel.set_type(ChannelHandle::HOST_TO_DEVICE);
  Op z = RecvFromHost(CreateToken(&d), Shape(kF32, {2}), channel);
  CHECK(*d.GetShape(z) == Shape::Tuple({Shape(kF32, {2}), Shape::Token()}));
}

TEST_CASE("a ragged exchange") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {4}), y = Param(b, 1, kF32, {6}), n = Param(b, 2, kS32, {2});
  RaggedAllToAll(x, n, n, y, n, n, {{{0, 1}}});
  CHECK(Body(b) ==
        "ROOT ragged-all-to-all = f32[6] ragged-all-to-all(x, y, z, z, z, z), "
        "replica_groups={{0,1}}");
}

TEST_CASE("misuses of what is as in XLA") {
  Builder a("a"), b("b"), c("c"), d("d"), e("e"), f("f");
  auto sum = [](Op p, Op q) { return p + q; };
  AllGather(Param(a, 0, kF32, {4, 2}), 0, 1, {}, std::nullopt, Layout({0, 0}));
  CHECK(ErrorOf(a) == "all-gather: the layout {0,0} is not one of the operand; operands f32[4,2]");
  AllReduce(Param(b, 0, kF32, {4}), sum, {}, std::nullopt, Shape(kF32, {3}));
  CHECK(ErrorOf(b) ==
        "all-reduce: shape_with_layout must be the result's, f32[4], given f32[3]; operands "
        "f32[4]");
  Map(&c, {Param(c, 0, kF32, {4})}, [](Op p) { return -p; }, {0}, {Param(c, 1, kF32, {4})});
  CHECK(c.first_error().code() == absl::StatusCode::kUnimplemented);
  Scan({Param(d, 0, kF32, {4})}, {Param(d, 1, kF32, {})}, sum, 0, 5);
  CHECK(ErrorOf(d) == "scan: scan_dimension_size 5 is not that of dimension 0; operands f32[4]");
  ConstantR2<float>(&e, {{1}, {2, 3}});
  CHECK(ErrorOf(e) == "constant: the lists along dimension 1 have 1 and 2 entries");
  ConstantR2FromArray2D<float>(&f, Array2D<float>({{1, 2}, {3}}));
  CHECK(ErrorOf(f) == "constant: the lists along dimension 1 have 2 and 1 entries");
}

TEST_CASE("dynamic convolutions of dynamic arrays") {
  Builder b("t");
  Op x = Parameter(&b, 0, *Shape::Parse("f32[1,1,<=8]"), "x");
  DynamicConvForward(x, Param(b, 1, kF32, {1, 1, 2}), {1}, {}, {}, {},
                     Builder::CreateDefaultConvDimensionNumbers(1), 1, 1, nullptr,
                     PaddingType::kSame);
  CHECK(b.first_error().code() == absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace sinter
