// Attributes that change no result: preserved, and printed again.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

// The text that a module prints to, which must print to itself; or the error.
std::string Printed(std::string_view text, bool clone = false) {
  auto m = ParseHloText(text, "t.hlo");
  if (!m.ok()) return MessageOf(m.status());
  std::string printed = clone ? Print(*(*m)->Clone()) : Print(**m);
  auto again = ParseHloText(printed, "again.hlo");
  if (!again.ok()) return MessageOf(again.status()) + " in " + printed;
  return Print(**again) == printed ? printed : "another text: " + Print(**again);
}

constexpr std::string_view kAnnotated =
    R"(HloModule m, num_partitions=2, is_scheduled=true, allow_spmd_sharding_propagation_to_output={true}, frontend_attributes={a="b"}

half {
  p = f32[4] parameter(0)
  two = f32[] constant(2)
  b = f32[4] broadcast(two), dimensions={}
  ROOT r = f32[4] divide(p, b)
}, execution_thread="main"

ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}, parameter_replication={true}
  y = f32[4] call(x), to_apply=half, is_composite=true, frontend_attributes={composite.attributes={n = 1 : i32},composite.name="foo.bar",composite.version="1"}
  z = f32[4] negate(y), statistics={visualizing_index=1,stat-1=33}, backend_config={"a":[1]}, metadata={op_name="f" source_file="a.py" source_line=3 op_type="neg" scheduling_name="z"}
  ROOT w = f32[4] custom-call(z), custom_call_target="g", api_version=API_VERSION_TYPED_FFI, original_value={{"v"}}, origin={{"x"}}
}
)";

TEST_CASE("Shardings, frontend attributes, schedules, statistics and origins are printed again") {
  CHECK(Printed(kAnnotated) == kAnnotated);
  CHECK(Printed(kAnnotated, true) == kAnnotated);
}

TEST_CASE("Orders beside operands, and layouts of the entry, are preserved") {
  std::string text =
      Printed(R"(HloModule m, entry_computation_layout={(f32[2]{0:T(256)S(1)})->f32[2]{0}}
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negate(x)
  %2 = f32[2] abs(x)
  ROOT z = f32[2] abs(x), control-predecessors={%y, %2}, sharding={replicated}
})");
  CHECK(text.find("entry_computation_layout={(f32[2]{0:T(256)S(1)})->f32[2]{0}}\n") != text.npos);
  CHECK(text.find("abs(x), control-predecessors={y, %2}, sharding={replicated}\n") != text.npos);
}

TEST_CASE("A layout of the entry is of its shapes") {
  auto printed = [](std::string_view layout) {
    return Printed(
        Format("HloModule m, entry_computation_layout={}\n"
               "ENTRY e {{\n  ROOT x = f32[2] parameter(0)\n}}\n",
               layout));
  };
  CHECK(printed("{(f32[2])->f32[2]}").find("entry_computation_layout") != std::string::npos);
  CHECK(printed("{(f32[2]{auto})->f32[2]}").find("{auto}") != std::string::npos);
  for (std::string_view bad : {"{(f32[3])->f32[2]}", "{(f32[2])->f32[3]}", "{()->f32[2]}",
                               "{(f32[2])f32[2]}", "{(f32[2], f32[2])->f32[2]}"}) {
    INFO(bad);
    CHECK(printed(bad).find("t.hlo:1:") == 0);
    CHECK(printed(bad).find("entry_computation_layout") != std::string::npos);
  }
}

TEST_CASE("What is evaluated before is named before") {
  std::string text = Printed(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  ROOT y = f32[2] negate(x), control-predecessors={z}
})");
  CHECK(text.find("t.hlo:4:52: there is no instruction 'z' before this one") == 0);
}

TEST_CASE("Predecessors that passes removed are not printed") {
  auto m = ParseHloText(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = f32[2] negate(x)
  ROOT z = f32[2] abs(x), control-predecessors={y}
})",
                        "t.hlo");
  REQUIRE(MessageOf(m.status()) == "");
  (*m)->entry()->RemoveDead();
  CHECK(Print(**m).find("abs(x)\n") != std::string::npos);
}

TEST_CASE("An op that replaces another preserves only the attributes that every op may have") {
  std::string text = Printed(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  c = (f32[4], f32[4], u32[]) copy-start(x), cross_program_prefetch_index=0, frontend_attributes={a="1"}
  ROOT d = f32[4] copy-done(c)
})");
  CHECK(text.find("cross_program_prefetch_index") == text.npos);
  CHECK(text.find("frontend_attributes={a=\"1\"}") != text.npos);
}

TEST_CASE("Calls that only annotate their operands are copies, and printed again") {
  constexpr std::string_view kText = R"(HloModule m

ENTRY e {
  x = f32[4] parameter(0)
  y = f32[4] custom-call(x), custom_call_target="Sharding", backend_config="unspecified_dims=[0]", sharding={devices=[2]<=[2]}
  ROOT z = f32[4] custom-call(y), custom_call_target="xla.sdy.FuncResultSharding", custom_call_has_side_effect=true, frontend_attributes={xla.sdy.sharding="#sdy.sharding_per_value<[<@mesh, [{\"x\"}]>]>"}
}
)";
  CHECK(Printed(kText) == kText);
  CHECK(Printed(kText, true) == kText);
  auto m = ParseHloText(kText, "t.hlo");
  REQUIRE(m.ok());
  CHECK((*m)->entry()->root()->op() == HloOpcode::Copy);
  CHECK((*m)->entry()->root()->operand(0)->op() == HloOpcode::Copy);
}

TEST_CASE("Calls of their targets with results of other shapes stay calls") {
  auto m = ParseHloText(R"(HloModule m
ENTRY e {
  x = f32[4] parameter(0)
  ROOT y = f32[2] custom-call(x), custom_call_target="SPMDFullToShardShape", sharding={manual}
})",
                        "t.hlo");
  REQUIRE(m.ok());
  CHECK((*m)->entry()->root()->op() == HloOpcode::CustomCall);
}

TEST_CASE("The order of a comparison is its type") {
  auto type = [](std::string_view of, std::string_view attribute) {
    auto whole = ParseHloText(
        Format("HloModule m\nENTRY e {{ x = {0}[2] parameter(0) ROOT y = pred[2] compare(x, x), "
               "direction=LT, {1} }}",
               of, attribute),
        "t.hlo");
    INFO(MessageOf(whole.status()));
    REQUIRE(whole.ok());
    return (*whole)->entry()->root()->attrs<CompareAttrs>().type;
  };
  CHECK(type("f32", "order=TOTAL") == ComparisonType::kTotalOrder);
  CHECK(type("f32", "type=TOTALORDER") == ComparisonType::kTotalOrder);
  CHECK(type("f32", "order=PARTIAL") == ComparisonType::kDefault);
  // Integers and predicates have one order.
  CHECK(type("s32", "order=TOTAL") == ComparisonType::kDefault);
  CHECK(type("pred", "type=TOTALORDER") == ComparisonType::kDefault);
  CHECK(type("u8", "order=PARTIAL") == ComparisonType::kDefault);
}

TEST_CASE("Annotations that do not end are errors") {
  for (const char* attribute : {"sharding={", "sharding=", "frontend_attributes={a=\"b}", "=x"}) {
    INFO(attribute);
    CHECK_FALSE(ParseHloText(Format("HloModule m\nENTRY e {{ ROOT x = f32[] parameter(0), {}\n}}",
                                    attribute),
                             "t.hlo")
                    .ok());
  }
}

// --- groups as axes of a mesh
std::string MeshGroups(std::string_view groups) {
  std::string text = Printed(Format(R"(HloModule m, replica_count=8
add {{
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}}
ENTRY e {{
  x = f32[] parameter(0)
  ROOT r = f32[] all-reduce(x), replica_groups={}, to_apply=add
}})",
                                    groups));
  const size_t begin = text.rfind("HloModule", 0) == 0 ? text.find("replica_groups=") : text.npos;
  return begin == text.npos ? text : text.substr(begin + 15, text.find("}}", begin) - begin - 13);
}

TEST_CASE("Groups along the axes of a mesh") {
  CHECK(MeshGroups("mesh['x'=8] {'x'}") == "{{0,1,2,3,4,5,6,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4] {'y'}") == "{{0,1,2,3},{4,5,6,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4] {'x'}") == "{{0,4},{1,5},{2,6},{3,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4] {'y','x'}") == "{{0,4,1,5,2,6,3,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4] {'y':(1)2}") == "{{0,2},{1,3},{4,6},{5,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4] {'y':(2)2}") == "{{0,1},{2,3},{4,5},{6,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0)) {'y'}") == "{{0,2,4,6},{1,3,5,7}}");
  CHECK(MeshGroups("mesh['x'=2,'y'=4], device_ids=(7,6,5,4,3,2,1,0) {'x'}") ==
        "{{7,3},{6,2},{5,1},{4,0}}");
  CHECK(MeshGroups("mesh['x'=4] {}") == "{{0},{1},{2},{3}}");
}

TEST_CASE("Meshes that are none") {
  CHECK(MeshGroups("mesh['x'=8] {'y'}").find("the mesh has no axis 'y'") != std::string::npos);
  CHECK(MeshGroups("mesh['x'=8] {'x':(3)2}").find("an axis of 8 has no part (3)2") !=
        std::string::npos);
  CHECK(MeshGroups("mesh['x'=8] {'x':(1)4,'x':(2)2}").find("overlap") != std::string::npos);
  CHECK(MeshGroups("mesh['x'=8] {'x','x'}").find("overlap") != std::string::npos);
  CHECK(MeshGroups("mesh['x'=0] {'x'}").find("groups of 0 participants") != std::string::npos);
  CHECK(MeshGroups("mesh['x'=99999999] {'x'}").find("participants") != std::string::npos);
  CHECK(MeshGroups("mesh['x'=8], device_ids=(1,0) {'x'}").find("2 participants for a mesh of 8") !=
        std::string::npos);
  CHECK(MeshGroups("mesh['x' {'x'}").find("expected '='") != std::string::npos);
}

}  // namespace
}  // namespace sinter
