// Collectives, transfers, and what Shardy says about devices.
#include "eval/eval.h"
#include "frontend/stablehlo_text/printer.h"
#include "helpers.h"
#include "ir/analysis/equality.h"

namespace sinter {
namespace {

// The module, which is the same once printed and read again.
std::unique_ptr<HloModule> RoundTrip(const std::string& text) {
  auto m = Parse(text);
  absl::StatusOr<std::string> printed = PrintStablehlo(*m);
  INFO(MessageOf(printed.status()));
  REQUIRE(printed.ok());
  INFO(*printed);
  auto again = Parse(*printed);
  CHECK(SameModule(*m, *again));
  return m;
}

const CollectiveAttrs& Attrs(const HloModule& m) { return Root(m)->attrs<CollectiveAttrs>(); }

TEST_CASE("all_reduce") {
  auto m = RoundTrip(R"(
    func.func @main(%a: tensor<4xbf16>) -> tensor<4xf32> {
      %0 = "stablehlo.all_reduce"(%a) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %1 = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>,
          use_global_device_ids} : (tensor<4xbf16>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  CHECK(Root(*m)->op() == HloOpcode::AllReduce);
  CHECK(Attrs(*m) == CollectiveAttrs{7, {{0, 1, 2}, {3, 4}}, {}, true});
}

TEST_CASE("all_gather, reduce_scatter, collective_broadcast, collective_permute") {
  auto m = RoundTrip(R"(
    func.func @main(%a: tensor<4x2xf32>, %b: tensor<2xi32>)
        -> (tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<2xi32>, tensor<4xi32>) {
      %0:2 = "stablehlo.all_gather"(%a, %a) {all_gather_dim = 1 : i64,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
          : (tensor<4x2xf32>, tensor<4x2xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
      %1 = "stablehlo.reduce_scatter"(%0#0) <{scatter_dimension = 1 : i64,
          replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %7 = stablehlo.maximum %x, %y : tensor<f32>
          stablehlo.return %7 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x2xf32>
      %2 = "stablehlo.collective_broadcast"(%1) <{replica_groups = dense<[[1, 0]]> :
          tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %3 = "stablehlo.collective_permute"(%b) <{source_target_pairs = dense<[[0, 1], [1, 0]]> :
          tensor<2x2xi64>}> : (tensor<2xi32>) -> tensor<2xi32>
      %4 = "stablehlo.all_gather"(%b) <{all_gather_dim = 0 : i64, replica_groups = dense<> :
          tensor<0x0xi64>}> : (tensor<2xi32>) -> tensor<4xi32>
      return %0#1, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>,
          tensor<2xi32>, tensor<4xi32>
    })");
  CHECK(Root(*m)->operand(4)->attrs<CollectiveAttrs>() == CollectiveAttrs{std::nullopt, {}, {0}});
}

TEST_CASE("collective_reduce, also to those that an operand names") {
  auto m = RoundTrip(R"(
    func.func @main(%a: tensor<4xbf16>, %b: tensor<2xbf16>, %to: tensor<2xi32>)
        -> (tensor<4xf32>, tensor<2xf32>) {
      %0 = "stablehlo.collective_reduce"(%a) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %1 = stablehlo.add %x, %y : tensor<f32>
          stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 7, type = 1>}
          : (tensor<4xbf16>) -> tensor<4xf32>
      %2:2 = "stablehlo.collective_reduce"(%a, %b, %to) ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %1 = stablehlo.maximum %x, %y : tensor<f32>
          stablehlo.return %1 : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}
          : (tensor<4xbf16>, tensor<2xbf16>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xf32>)
      return %0, %2#1 : tensor<4xf32>, tensor<2xf32>
    })");
  const HloInstruction& reduce = *Root(*m)->operand(0);
  CHECK(reduce.op() == HloOpcode::CollectiveReduce);
  CHECK(reduce.attrs<CollectiveAttrs>() == CollectiveAttrs{7, {{0, 1, 2}, {3, 4}}, {}});
  CHECK(Evaluate(*m, {}).status().code() != absl::StatusCode::kOk);
}

// The groups of an all_gather.
Groups GroupsOf(const std::string& replica_groups, int64_t size) {
  auto m = Parse(Format(R"(
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    sdy.mesh @turned = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
    func.func @main(%a: tensor<1xf32>) -> tensor<{}xf32> {{
      %0 = "stablehlo.all_gather"(%a) <{{all_gather_dim = 0 : i64, replica_groups = {}}}>
          : (tensor<1xf32>) -> tensor<{}xf32>
      return %0 : tensor<{}xf32>
    }})",
                        size, replica_groups, size, size));
  return Attrs(*m).replica_groups;
}
std::string OfMesh(const std::string& mesh, const std::string& axes) {
  return Format("#stablehlo.replica_group_mesh_axes<mesh = {}, axes = [{}]>", mesh, axes);
}
std::string AxisRef(const std::string& name) {
  return Format("#stablehlo.axis_ref<name = {}>", name);
}

TEST_CASE("Groups are axes of a mesh") {
  const std::string x = AxisRef("\"x\""), y = AxisRef("\"y\"");
  CHECK(GroupsOf(OfMesh("@mesh", x), 2) == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
  CHECK(GroupsOf(OfMesh("@mesh", y), 4) == Groups{{0, 1, 2, 3}, {4, 5, 6, 7}});
  CHECK(GroupsOf(OfMesh("@mesh", y + ", " + x), 8) == Groups{{0, 4, 1, 5, 2, 6, 3, 7}});
  // A part of an axis: y is 2 times 2.
  CHECK(GroupsOf(OfMesh("@mesh", AxisRef("\"y\", sub_axis_info = (1)2")), 2) ==
        Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}});
  CHECK(GroupsOf(OfMesh("@mesh", AxisRef("\"y\", sub_axis_info = (2)2")), 2) ==
        Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}});
  CHECK(GroupsOf(OfMesh("@turned", x), 2) == Groups{{3, 1}, {2, 0}});
  CHECK(GroupsOf(OfMesh("#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, "
                        "#stablehlo.mesh_axis<name = \"y\", size = 2>], "
                        "device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>",
                        y),
                 2) == Groups{{3, 2}, {1, 0}});
  CHECK(GroupsOf(OfMesh("#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 1>], "
                        "device_ids = dense<0> : tensor<1xi64>>",
                        x),
                 1) == Groups{{0}});
}

TEST_CASE("all_to_all puts parts together along another dimension") {
  auto m = RoundTrip(R"(
    func.func @main(%a: tensor<2x4xf32>) -> tensor<4x2xf32> {
      %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64,
          split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          : (tensor<2x4xf32>) -> tensor<4x2xf32>
      return %0 : tensor<4x2xf32>
    })");
  // Were all participants to send the same, each would get its part twice.
  CHECK(Dump(*m) ==
        "parameter f32[2,4]\nall-to-all f32[2,4] 0\nreshape f32[2,2,2] 1\n"
        "transpose f32[2,2,2] 2\nreshape f32[4,2] 3 ROOT\n");
  CHECK(Root(*m)->operand(0)->dimensions() == Dims{1, 0, 2});
  std::string bad = R"(
    func.func @main(%a: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %0 = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 1 : i64,
          split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
          : (tensor<2x4xf32>) -> tensor<2x4xf32>
      return %0 : tensor<2x4xf32>
    })";
  CHECK(FirstLine(Error(bad)) ==
        "t.mlir:3:12: stablehlo.all_to_all: (C8) a group has 2 participants, split_count is 4");
}

TEST_CASE("On one device collectives give their operands") {
  auto m = RoundTrip(R"(
    module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
    func.func @main() -> (tensor<2xi32>, tensor<ui32>, tensor<ui32>) {
      %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
      %0 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}>
          : (tensor<2xi32>) -> tensor<2xi32>
      %1 = "stablehlo.collective_permute"(%0) <{source_target_pairs = dense<0> : tensor<1x2xi64>}>
          : (tensor<2xi32>) -> tensor<2xi32>
      %2 = stablehlo.partition_id : tensor<ui32>
      %3 = "stablehlo.replica_id"() : () -> tensor<ui32>
      return %1, %2, %3 : tensor<2xi32>, tensor<ui32>, tensor<ui32>
    } })");
  absl::StatusOr<Literal> value = Evaluate(*m, {});
  REQUIRE(value.ok());
  CHECK(value->ToString() == "(s32[2], u32[], u32[]) ({1, 2}, 0, 0)");
}

TEST_CASE("A module for several devices keeps their number") {
  auto m = RoundTrip(R"(
    module attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 2 : i32} {
    func.func @main() -> tensor<ui32> {
      %2 = stablehlo.partition_id : tensor<ui32>
      return %2 : tensor<ui32>
    } })");
  CHECK(m->partition_count() == 8);
  CHECK(m->replica_count() == 2);
  CHECK(Evaluate(*m, {}).status().code() == absl::StatusCode::kUnimplemented);
}

TEST_CASE("Transfers") {
  auto m = RoundTrip(R"(
    func.func @main(%t: !stablehlo.token, %a: tensor<2xf32>)
        -> (tensor<3xi32>, tensor<f32>, !stablehlo.token) {
      %0:3 = "stablehlo.infeed"(%t) <{infeed_config = "c", layout = [[0], []]}>
          : (!stablehlo.token) -> (tensor<3xi32>, tensor<f32>, !stablehlo.token)
      %1 = "stablehlo.outfeed"(%a, %0#0, %0#2) <{outfeed_config = ""}>
          : (tensor<2xf32>, tensor<3xi32>, !stablehlo.token) -> !stablehlo.token
      %2 = "stablehlo.send"(%a, %1) <{channel_handle = #stablehlo.channel_handle<handle = 5,
          type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token)
          -> !stablehlo.token
      %3:2 = "stablehlo.recv"(%2) <{channel_handle = #stablehlo.channel_handle<handle = 6,
          type = 1>}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      return %0#0, %3#0, %3#1 : tensor<3xi32>, tensor<f32>, !stablehlo.token
    })");
  CHECK(Dump(*m).find("send (f32[2], u32[], token[])") != std::string::npos);
  const HloInstruction* done = Root(*m)->operand(2)->operand(0);
  CHECK(done->op() == HloOpcode::RecvDone);
  CHECK(done->attrs<TransferAttrs>() == TransferAttrs{6, false});
}

TEST_CASE("Shardings change no value") {
  auto m = Parse(R"(
    module @m attributes {sdy.x = #sdy.y<"a>">} {
    sdy.mesh @mesh = <["x"=1, "y"=2]>
    func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1]>})
        -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
      %0 = sdy.sharding_constraint %a <@mesh, [{"x"}, {}]> : tensor<4xf32>
      %1 = sdy.reshard %0 <@mesh, [{"y"}]> : tensor<4xf32>
      %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<4xf32>
      sdy.sharding_group %2 group_id=21 : tensor<4xf32>
      %3:2 = sdy.manual_computation(%2, %a) in_shardings=[<@mesh, [{"x"}]>, <@mesh, [{}]>]
          out_shardings=[<@mesh, [{"x"}]>, <@mesh, [{?}]>] manual_axes={"x", "y"}
          (%b: tensor<4xf32>, %c: tensor<4xf32>) {
        %9 = stablehlo.add %b, %c : tensor<4xf32>
        sdy.return %9, %b : tensor<4xf32>, tensor<4xf32>
      } : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
      %4 = sdy.named_computation<"foo">(%3#0) (%b: tensor<4xf32>) {
        %9 = stablehlo.negate %b : tensor<4xf32>
        sdy.return %9 : tensor<4xf32>
      } : (tensor<4xf32>) -> tensor<4xf32>
      %5 = "sdy.sharding_constraint"(%4) <{sharding = #sdy.sharding<@mesh, [{"x"}]>}>
          : (tensor<4xf32>) -> tensor<4xf32>
      %6 = stablehlo.custom_call @SPMDFullToShardShape(%5) {mhlo.sharding = "{manual}"}
          : (tensor<4xf32>) -> tensor<4xf32>
      return %6 : tensor<4xf32>
    } })");
  // Each is a copy until passes have removed it.
  CHECK(Root(*m)->op() == HloOpcode::Copy);
  absl::StatusOr<Literal> value = Evaluate(*m, {Literal::R1<float>({1, 2, 3, 4})});
  REQUIRE(value.ok());
  CHECK(value->ToString() == "f32[4] {-2, -4, -6, -8}");
  CHECK(FirstLine(Error(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %3 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>]
      manual_axes={"x"} (%b: tensor<2xf32>) {
    sdy.return %b : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
})",
                        absl::StatusCode::kUnimplemented)) ==
        "t.mlir:2:8: sdy.manual_computation: several devices: operand 0 is tensor<4xf32>, of which "
        "each has tensor<2xf32>");
}

TEST_CASE("What says where values lie is printed again") {
  const std::string body =
      R"(    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %1 = sdy.reshard %0 <@mesh, [{"y"}, {}]> : tensor<4x2xf32>
    %2 = sdy.propagation_barrier %1 allowed_direction=NONE : tensor<4x2xf32>
    sdy.sharding_group %2 group_id=21 : tensor<4x2xf32>
    %3 = sdy.all_gather [{"x"}, {}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>
    %4 = sdy.all_slice [{"x"}, {}] %3 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %5 = sdy.all_to_all [{"x"}: 0->1] %4 out_sharding=<@mesh, [{}, {"x"}]> : tensor<4x2xf32>
    %6 = sdy.collective_permute %5 out_sharding=<@mesh, [{}, {"y"}]> : tensor<4x2xf32>
    %7 = sdy.all_reduce {"x"} %6 out_sharding=<@mesh, [{}, {}]> : tensor<4x2xf32>
    %8 = sdy.reduce_scatter [{"x"}, {}] %7 out_sharding=<@mesh, [{"x"}, {}]> : tensor<4x2xf32>
    %9 = stablehlo.custom_call @Sharding(%8) {backend_config = "unspecified_dims=[1]", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %10 = stablehlo.custom_call @SPMDFullToShardShape(%9) {mhlo.sharding = "{manual}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %11 = stablehlo.custom_call @SPMDShardToFullShape(%10) {mhlo.sharding = "{replicated}"} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %11 : tensor<4x2xf32>
)";
  auto m = Parse(
      "module @m {\n  sdy.mesh @mesh = <[\"x\"=2, \"y\"=1]>\n"
      "  func.func public @main(%arg0: tensor<4x2xf32>) -> (tensor<4x2xf32>) {\n" +
      body + "  }\n}\n");
  auto printed = PrintStablehlo(*m);
  INFO(MessageOf(printed.status()));
  REQUIRE(printed.ok());
  INFO(*printed);
  CHECK(printed->find(body) != std::string::npos);
  const Literal x = Literal::R2<float>({{1, 2}, {3, 4}, {5, 6}, {7, 8}});
  auto value = Evaluate(*m, {x});
  REQUIRE(value.ok());
  CHECK(value->ToString() == x.ToString());
  // Of the generic form the sharding is kept.
  auto generic = Parse(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "sdy.sharding_constraint"(%a) <{sharding = #sdy.sharding<@mesh, [{"x"}]>}>
          : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  CHECK(PrintStablehlo(*generic)->find(
            "%0 = sdy.sharding_constraint %arg0 <@mesh, [{\"x\"}]> : tensor<4xf32>\n") !=
        std::string::npos);
}

TEST_CASE("Transfers keep between whom they are") {
  const std::string pairs = "source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>";
  auto m = RoundTrip(R"(
    func.func @main(%t: !stablehlo.token, %a: tensor<2xf32>) -> (tensor<f32>, !stablehlo.token) {
      %0 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 5,
          type = 1>, is_host_transfer = false, )" +
                     pairs + R"(}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
      %1:2 = "stablehlo.recv"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 6,
          type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<f32>,
          !stablehlo.token)
      %2:2 = "stablehlo.recv"(%1#1) <{channel_handle = #stablehlo.channel_handle<handle = 7,
          type = 1>, )" +
                     pairs + R"(}> : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)
      return %2#0, %2#1 : tensor<f32>, !stablehlo.token
    })");
  const auto printed = PrintStablehlo(*m);
  REQUIRE(printed.ok());
  INFO(*printed);
  const size_t first = printed->find("is_host_transfer = false, " + pairs);
  CHECK(first != std::string::npos);
  CHECK(printed->find("is_host_transfer = false, " + pairs, first + 1) != std::string::npos);
  CHECK(printed->find("handle = 6, type = 3>, is_host_transfer = true}>") != std::string::npos);
  const HloInstruction* recv = Root(*m)->operand(0)->operand(0)->operand(0);
  REQUIRE(recv->op() == HloOpcode::Recv);
  // As HLO text has it.
  const std::string* kept = Find(recv->annotations(), "frontend_attributes");
  REQUIRE(kept != nullptr);
  CHECK(*kept == "{_xla_send_recv_source_target_pairs={{0,1},{1,2}}}");
}

TEST_CASE("A future is what it will be") {
  auto m = Parse(R"(
    func.func @main(%a: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
      %0 = "stablehlo.async_start"(%a) ({
        ^bb0(%b: tensor<8xf32>):
          %1 = stablehlo.slice %b [0:4] : (tensor<8xf32>) -> tensor<4xf32>
          stablehlo.return %1 : tensor<4xf32>
      }) : (tensor<8xf32>) -> !stablehlo.future<tensor<4xf32>>
      %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
      %3 = "stablehlo.async_start"(%a) ({
        %5 = stablehlo.slice %a [0:8] : (tensor<8xf32>) -> tensor<8xf32>
        stablehlo.return %5, %a : tensor<8xf32>, tensor<8xf32>
      }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>, tensor<8xf32>>
      %4:2 = "stablehlo.async_done"(%3) : (!stablehlo.future<tensor<8xf32>, tensor<8xf32>>)
          -> (tensor<8xf32>, tensor<8xf32>)
      return %2, %4#0 : tensor<4xf32>, tensor<8xf32>
    })");
  CHECK(Dump(*m) ==
        "parameter f32[8]\nslice f32[4] 0\nslice f32[8] 0\n"
        "tuple (f32[8], f32[8]) 2 0\nget-tuple-element f32[8] 3\n"
        "tuple (f32[4], f32[8]) 1 4 ROOT\n");
}

}  // namespace
}  // namespace sinter
