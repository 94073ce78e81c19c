// Programs in the style of XLA's, with what they give: for the interpreter and for compiled
// devices.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sinter/xla_compat.h"

namespace xla {
using namespace sinter::xla_names;
}  // namespace xla

// The program's own, beside ours.
namespace xla {

inline XlaOp Relu(XlaOp x) { return Max(x, ZerosLike(x)); }
inline XlaOp Scaled(const XlaOp& x, float by) { return Mul(x, ConstantR0<float>(x.builder(), by)); }

}  // namespace xla

namespace xla_programs {

struct Program {
  std::string name;
  std::function<absl::StatusOr<xla::XlaComputation>()> build;
  std::vector<xla::Literal> arguments;
  xla::Literal expected;
};

using BinaryOp = xla::XlaOp (*)(xla::XlaOp, xla::XlaOp, absl::Span<const int64_t>);

inline xla::XlaComputation Combiner(BinaryOp op, xla::PrimitiveType type) {
  xla::XlaBuilder b("combiner");
  xla::XlaOp x = xla::Parameter(&b, 0, xla::ShapeUtil::MakeShape(type, {}), "x");
  xla::XlaOp y = xla::Parameter(&b, 1, xla::ShapeUtil::MakeShape(type, {}), "y");
  op(x, y, {});
  return b.Build().value();
}

// Sum and greatest at a time.
inline xla::XlaComputation SumAndMax() {
  xla::XlaBuilder b("sum_and_max");
  const xla::Shape scalar = xla::ShapeUtil::MakeScalarShape(xla::F32);
  std::vector<xla::XlaOp> p;
  for (int i = 0; i < 4; ++i) p.push_back(xla::Parameter(&b, i, scalar, "p" + std::to_string(i)));
  xla::Tuple(&b, {xla::Add(p[0], p[2]), xla::Max(p[1], p[3])});
  return b.Build().value();
}

inline xla::XlaOp Matrix(xla::XlaBuilder* b, int64_t number = 0) {
  return xla::Parameter(b, number, xla::ShapeUtil::MakeShape(xla::F32, {2, 4}), "m");
}
inline xla::Literal MatrixValue() {
  return xla::LiteralUtil::CreateR2<float>({{1, -2, 3, 4}, {5, 6, -7, 8}});
}

inline absl::StatusOr<xla::XlaComputation> Pointers() {
  xla::XlaBuilder b("pointers");
  xla::XlaOp x = Matrix(&b);
  const BinaryOp binary[] = {xla::Add, xla::Sub, &xla::Mul, xla::Max};
  std::vector<xla::XlaOp> results;
  for (BinaryOp op : binary) results.push_back(op(x, xla::ConstantR0<float>(&b, 2), {}));
  std::function<xla::XlaOp(xla::XlaOp, xla::XlaOp, absl::Span<const int64_t>)> less = xla::Lt;
  results.push_back(less(x, xla::ConstantR1<float>(&b, {0, 10}), {0}));
  xla::XlaOp (*unary)(xla::XlaOp) = xla::Neg;
  results.push_back(unary(x));
  results.push_back(xla::And(xla::Gt(x, xla::ZerosLike(x)), xla::Lt(x, xla::Scaled(x, 2)),
                             xla::Ne(x, xla::FullLike(x, 4))));
  results.push_back(xla::Relu(x));
  return b.Build(xla::Tuple(&b, results));
}
inline xla::Literal PointersValue() {
  using U = xla::LiteralUtil;
  return U::MakeTupleOwned(
      U::CreateR2<float>({{3, 0, 5, 6}, {7, 8, -5, 10}}),
      U::CreateR2<float>({{-1, -4, 1, 2}, {3, 4, -9, 6}}),
      U::CreateR2<float>({{2, -4, 6, 8}, {10, 12, -14, 16}}),
      U::CreateR2<float>({{2, 2, 3, 4}, {5, 6, 2, 8}}),
      U::CreateR2<bool>({{false, true, false, false}, {true, true, true, true}}),
      U::CreateR2<float>({{-1, 2, -3, -4}, {-5, -6, 7, -8}}),
      U::CreateR2<bool>({{true, false, true, false}, {true, true, false, true}}),
      U::CreateR2<float>({{1, 0, 3, 4}, {5, 6, 0, 8}}));
}

inline absl::StatusOr<xla::XlaComputation> Windows() {
  xla::XlaBuilder b("windows");
  xla::XlaOp x = Matrix(&b);
  xla::XlaOp zero = xla::ConstantR0<float>(&b, 0), low = xla::MinValue(&b, xla::F32);
  xla::XlaOp both =
      xla::ReduceWindow({x, x}, {zero, low}, SumAndMax(), /*window_dimensions=*/{1, 2},
                        /*window_strides=*/{1, 2}, xla::Padding::kValid);
  const std::vector<xla::XlaOp> operands = {x}, inits = {zero};
  xla::XlaOp one = xla::ReduceWindowWithGeneralPadding(
      operands, inits, b.AddSubComputation(Combiner(xla::Add, xla::F32)), {2, 1}, {1, 1}, {}, {},
      {{0, 0}, {1, 0}});
  xla::Tuple(&b, {xla::GetTupleElement(both, 0), xla::GetTupleElement(both, 1), one});
  return b.Build();
}
inline xla::Literal WindowsValue() {
  using U = xla::LiteralUtil;
  return U::MakeTupleOwned(U::CreateR2<float>({{-1, 7}, {11, 1}}),
                           U::CreateR2<float>({{1, 4}, {6, 8}}),
                           U::CreateR2<float>({{0, 6, 4, -4, 12}}));
}

// Sums so far along dimension 1, from either end.
inline absl::StatusOr<xla::XlaComputation> Scans() {
  xla::XlaBuilder b("scans");
  xla::XlaOp x = Matrix(&b), init = xla::ConstantR1<float>(&b, {0, 100});
  auto step = b.CreateSubBuilder("step");
  const xla::Shape vector = xla::ShapeUtil::MakeShape(xla::F32, {2});
  xla::XlaOp sum = xla::Add(xla::Parameter(step.get(), 0, vector, "element"),
                            xla::Parameter(step.get(), 1, vector, "carry"));
  xla::Tuple(step.get(), {sum, sum});
  xla::XlaComputationId id = step->BuildSubComputation().value();
  xla::XlaOp forward = xla::Scan({x}, {init}, id, /*scan_dimension=*/1);
  xla::XlaOp backward = xla::Scan({x}, {init}, id, 1, /*scan_dimension_size=*/4,
                                  /*is_reverse=*/true, xla::TRI_STATE_TRUE);
  xla::Tuple(&b, {xla::GetTupleElement(forward, 0), xla::GetTupleElement(backward, 0),
                  xla::GetTupleElement(forward, 1)});
  return b.Build();
}
inline xla::Literal ScansValue() {
  using U = xla::LiteralUtil;
  return U::MakeTupleOwned(U::CreateR2<float>({{1, -1, 2, 6}, {105, 111, 104, 112}}),
                           U::CreateR2<float>({{6, 5, 7, 4}, {112, 107, 101, 108}}),
                           U::CreateR1<float>({6, 112}));
}

// Collectives of one participant.
inline absl::StatusOr<xla::XlaComputation> Collectives() {
  xla::XlaBuilder b("collectives");
  xla::XlaOp x = Matrix(&b), y = xla::Scaled(x, 2);
  xla::XlaComputation add = Combiner(xla::Add, xla::F32);
  const xla::Layout layout = xla::LayoutUtil::MakeLayout({1, 0});
  xla::ReplicaGroup all;
  all.add_replica_ids(0);
  std::vector<xla::XlaOp> results;
  results.push_back(
      xla::AllReduce(x, add, {all}, std::nullopt, xla::ShapeUtil::MakeShape(xla::F32, {2, 4})));
  xla::XlaOp reduced = xla::AllReduceTuple({x, y}, add, {all});
  results.push_back(xla::GetTupleElement(reduced, 1));
  results.push_back(xla::AllGather(x, 0, 1, {all}, std::nullopt, layout));
  xla::XlaOp gathered = xla::AllGatherTuple({x, y}, 1, 1, {all}, std::nullopt, layout);
  results.push_back(xla::GetTupleElement(gathered, 0));
  results.push_back(xla::AllToAll(x, 0, 1, 1, {all}, layout));
  results.push_back(xla::AllToAllTuple({x}, {all}, layout));
  results.push_back(xla::AllToAllTuple(x, 0, 1, 1, {all}, layout));
  results.push_back(xla::ReduceScatter(x, add, 0, 1, {all}, std::nullopt, layout));
  xla::Tuple(&b, results);
  return b.Build();
}
inline xla::Literal CollectivesValue() {
  const xla::Literal x = MatrixValue();
  const xla::Literal y = xla::LiteralUtil::CreateR2<float>({{2, -4, 6, 8}, {10, 12, -14, 16}});
  const xla::Literal one = xla::LiteralUtil::MakeTuple({&x});
  return xla::LiteralUtil::MakeTuple({&x, &y, &x, &x, &x, &one, &one, &x});
}

// Dimension numbers by their accessors: a convolution, a product, a gather, a pad.
inline absl::StatusOr<xla::XlaComputation> Numbers() {
  xla::XlaBuilder b("numbers");
  xla::XlaOp x = Matrix(&b);
  xla::ConvolutionDimensionNumbers conv;
  conv.set_input_batch_dimension(0);
  conv.set_input_feature_dimension(2);
  conv.add_input_spatial_dimensions(1);
  conv.set_kernel_output_feature_dimension(0);
  conv.set_kernel_input_feature_dimension(1);
  conv.add_kernel_spatial_dimensions(2);
  conv.set_output_batch_dimension(conv.input_batch_dimension());
  conv.set_output_feature_dimension(conv.input_feature_dimension());
  conv.add_output_spatial_dimensions(conv.input_spatial_dimensions(0));
  absl::Status valid = xla::XlaBuilder::Validate(conv);
  if (!valid.ok()) return valid;
  xla::XlaOp image = xla::Reshape(x, {2, 4, 1});
  xla::XlaOp kernel = xla::Reshape(xla::ConstantR1<float>(&b, {1, 10}), {1, 1, 2});
  std::vector<xla::XlaOp> results;
  results.push_back(xla::ConvGeneralDilated(image, kernel, {1}, {{0, 0}}, {1}, {1}, conv));
  results.push_back(xla::DynamicConvForward(image, kernel, {1}, {{0, 0}}, {1}, {1}, conv, 1, 1,
                                            nullptr, xla::PADDING_VALID));
  results.push_back(xla::DynamicConvInputGrad(xla::ConstantR1<int32_t>(&b, {2, 5, 1}), image,
                                              kernel, {1}, {{1, 1}}, {1}, {1}, conv, 1, 1, nullptr,
                                              xla::PADDING_VALID));
  results.push_back(xla::DynamicConvKernelGrad(image, kernel, {2}, {{0, 0}}, {1}, {1}, conv, 1, 1,
                                               nullptr, xla::PADDING_VALID));
  xla::DotDimensionNumbers dot;
  dot.add_lhs_contracting_dimensions(1);
  dot.mutable_rhs_contracting_dimensions()->Add(dot.lhs_contracting_dimensions(0));
  results.push_back(xla::DotGeneral(x, x, dot));
  xla::GatherDimensionNumbers gather;
  gather.add_offset_dims(1);
  gather.add_collapsed_slice_dims(1);
  gather.add_start_index_map(1);
  gather.set_index_vector_dim(1);
  results.push_back(xla::Gather(x, xla::ConstantR1<int32_t>(&b, {3, 0}), gather, {2, 1}));
  xla::PaddingConfig padding;
  for (int d = 0; d < 2; ++d) padding.add_dimensions()->set_edge_padding_low(d);
  padding.mutable_dimensions(0)->set_edge_padding_high(padding.dimensions(1).edge_padding_low());
  results.push_back(xla::Pad(x, xla::ConstantR0<float>(&b, -1), padding));
  return b.Build(xla::Tuple(&b, results));
}
inline xla::Literal NumbersValue() {
  using U = xla::LiteralUtil;
  const xla::Literal conv = U::CreateR3<float>({{{-19}, {28}, {43}}, {{65}, {-64}, {73}}});
  return U::MakeTupleOwned(
      conv.Clone(), conv.Clone(),
      U::CreateR3<float>({{{10}, {-19}, {28}, {43}, {4}}, {{50}, {65}, {-64}, {73}, {8}}}),
      U::CreateR3<float>({{{-19}, {43}}, {{65}, {73}}}), U::CreateR2<float>({{30, 4}, {4, 174}}),
      U::CreateR2<float>({{4, 8}, {1, 5}}),
      U::CreateR2<float>({{-1, 1, -2, 3, 4}, {-1, 5, 6, -7, 8}, {-1, -1, -1, -1, -1}}));
}

// 0.25 rounds up for a quarter of the random numbers.
inline absl::StatusOr<xla::XlaComputation> Stochastic() {
  xla::XlaBuilder b("stochastic");
  xla::XlaOp x = xla::ConstantR1<float>(
      &b, {1.25f, 1.25f, -1.25f, -1.25f, 3, 1e9f, -1e9f, 126.5f, 126.5f, -127.5f});
  xla::XlaOp random = xla::ConstantR1<uint32_t>(
      &b, {0x3fffffff, 0x40000000, 0x3fffffff, 0x40000000, 0, 0, 0, 0, 0x80000000, 0});
  xla::XlaOp h =
      xla::ConvertElementType(xla::ConstantR1<float>(&b, {0.5f, 0.5f, -2.75f}), xla::F16);
  xla::XlaOp bits = xla::ConstantR1<uint16_t>(&b, {0x7fff, 0x8000, 0});
  xla::Tuple(&b, {xla::StochasticConvertType(x, random, xla::S8),
                  xla::StochasticConvertType(h, bits, xla::S32),
                  xla::StochasticConvertType(xla::NanValue(&b, xla::F32),
                                             xla::ConstantR0<uint32_t>(&b, 0), xla::S32)});
  return b.Build();
}
inline xla::Literal StochasticValue() {
  using U = xla::LiteralUtil;
  return U::MakeTupleOwned(U::CreateR1<int8_t>({2, 1, -2, -1, 3, 127, -128, 127, 126, -128}),
                           U::CreateR1<int32_t>({1, 0, -3}), U::CreateR0<int32_t>(0));
}

// Computations by id: calls, branches, loops.
inline absl::StatusOr<xla::XlaComputation> Ids() {
  xla::XlaBuilder b("ids");
  const xla::Shape scalar = xla::ShapeUtil::MakeScalarShape(xla::S32);
  auto unary = [&](const char* name, xla::XlaOp (*f)(xla::XlaOp)) {
    auto sub = b.CreateSubBuilder(name);
    f(xla::Parameter(sub.get(), 0, scalar, "x"));
    return sub->BuildSubComputation().value();
  };
  xla::XlaComputationId negate = unary("negate", xla::Neg), invert = unary("invert", xla::Not);
  xla::XlaComputationId small =
      unary("small", [](xla::XlaOp x) { return xla::Lt(x, xla::ScalarLike(x, 100)); });
  xla::XlaComputationId grow = unary("grow", [](xla::XlaOp x) { return xla::Add(x, x); });
  xla::XlaOp x = xla::Parameter(&b, 0, scalar, "x");
  xla::XlaOp one = xla::One(&b, xla::S32);
  xla::Tuple(&b,
             {xla::Call(&b, negate, {x}), xla::Conditional(one, {negate, invert}, {x, x}),
              xla::Conditional(xla::Lt(x, one), x, negate, x, invert), xla::While(small, grow, x),
              xla::Map(&b, {xla::Broadcast(x, {2})}, negate, {0}, /*static_operands=*/{})});
  return b.Build();
}
inline xla::Literal IdsValue() {
  using U = xla::LiteralUtil;
  return U::MakeTupleOwned(U::CreateR0<int32_t>(-7), U::CreateR0<int32_t>(-8),
                           U::CreateR0<int32_t>(-8), U::CreateR0<int32_t>(112),
                           U::CreateR1<int32_t>({-7, -7}));
}

inline std::vector<Program> Programs() {
  const xla::Literal m = MatrixValue();
  return {{"pointers", Pointers, {m}, PointersValue()},
          {"windows", Windows, {m}, WindowsValue()},
          {"scans", Scans, {m}, ScansValue()},
          {"collectives", Collectives, {m}, CollectivesValue()},
          {"numbers", Numbers, {m}, NumbersValue()},
          {"stochastic", Stochastic, {}, StochasticValue()},
          {"ids", Ids, {xla::LiteralUtil::CreateR0<int32_t>(7)}, IdsValue()}};
}

}  // namespace xla_programs
