// What XLA's text has and the graph has not.
#include <catch2/catch.hpp>

#include <map>
#include <string>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/analysis/equality.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

std::unique_ptr<HloModule> ParseRoundTrip(std::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> m = ParseHloText(text, "m.hlo");
  INFO((m.ok() ? "" : MessageOf(m.status())));
  REQUIRE(m.ok());
  absl::Status verified = VerifyModule(**m);
  INFO(MessageOf(verified));
  REQUIRE(verified.ok());
  // What has been read prints as text that reads the same.
  absl::StatusOr<std::unique_ptr<HloModule>> again = ParseHloText(Print(**m), "again.hlo");
  INFO(Print(**m));
  INFO((again.ok() ? "" : MessageOf(again.status())));
  REQUIRE(again.ok());
  CHECK(SameModule(**m, **again));
  CHECK(Print(**m) == Print(**again));
  return std::move(*m);
}

std::string ErrorOf(std::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> m = ParseHloText(text, "m.hlo");
  if (m.ok()) return "no error";
  std::string message = MessageOf(m.status());
  return message.substr(0, message.find('\n'));
}

// What the entry without parameters computes.
std::string Value(std::string_view text) {
  absl::StatusOr<Literal> value = Evaluate(*ParseRoundTrip(text), {});
  return value.ok() ? value->ToString() : MessageOf(value.status());
}

TEST_CASE("Shapes may be left out, and operands may be instructions") {
  CHECK(Value(R"(HloModule m
ENTRY e {
  a = f32[2] constant({1, 2})
  b = add(a, a)
  ROOT r = multiply(b, negate(add(a, f32[2] broadcast(f32[] constant(1)))))
})") == "f32[2] {-4, -12}");
  CHECK(Value(R"(HloModule m
ENTRY e {
  ROOT r = get-tuple-element(
    (f32[2], s32[]) tuple(f32[2] constant({1, 2}), s32[] constant(3))
  ), index=1
})") == "s32[] 3");
  // The names that they get are no names of the text.
  auto m = ParseRoundTrip(R"(HloModule m
ENTRY e {
  x = f32[2] parameter(0)
  y = add(x, negate(x))
  negate.anon.1 = exponential(y)
  ROOT z = add(y, negate.anon.1)
})");
  CHECK(m->entry()->instructions().size() == 5);
}

TEST_CASE("Dependencies and domains are their operands") {
  auto m = ParseRoundTrip(R"(HloModule m
ENTRY e {
  p = f32[] parameter(0)
  n = f32[] negate(p)
  t = token[] after-all(n)
  q = f32[] add-dependency(p, t)
  d = f32[] domain(q), domain={kind="sharding", entry={maximal device=0}, exit={maximal device=1}}
  ROOT s = f32[] add(n, d)
})");
  CHECK(m->entry()->root()->operand(1) == m->entry()->parameter(0));
}

TEST_CASE("Starts and ends are one operation") {
  auto m = ParseRoundTrip(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
neg { a = f32[4] parameter(0) ROOT c = f32[4] negate(a) }
ENTRY e {
  x = f32[4] parameter(0)
  r = f32[4] all-reduce-start(x), replica_groups={}, to_apply=add
  rd = f32[4] all-reduce-done(r)
  g = (f32[4], f32[8]) all-gather-start(rd), replica_groups={{0,1}}, dimensions={0}
  gd = f32[8] all-gather-done(g)
  p = (f32[8], f32[8], u32[], u32[]) collective-permute-start(gd), source_target_pairs={{0,1}}
  pd = f32[8] collective-permute-done(p)
  c = (f32[8]{0:S(1)}, f32[8], u32[]{:S(2)}) copy-start(pd), cross_program_prefetch_index=0
  cd = f32[8]{0:S(1)} copy-done(c)
  s = ((f32[8]), f32[4], s32[]) slice-start(cd), slice={[0:4]}
  su = ((f32[8]), f32[4], s32[]) slice-update(s)
  sd = f32[4] slice-done(su)
  a = ((f32[4]), f32[4], u32[2]) async-start(sd), async_execution_thread="t", calls=neg
  au = ((f32[4]), f32[4], u32[2]) async-update(a)
  ROOT ad = f32[4] async-done(au)
})");
  std::string ops;
  for (const HloInstruction* i : m->entry()->PostOrder()) ops += std::string(Name(i->op())) + " ";
  CHECK(ops == "parameter all-reduce all-gather collective-permute copy slice call ");
  CHECK(m->entry()->root()->shape().ToString() == "f32[4]");
  CHECK(ErrorOf("HloModule m\nENTRY e { x = f32[2] parameter(0) ROOT y = f32[3] copy-done(x) }") ==
        "m.hlo:2:51: copy-done: the operand must be that of a start");
}

TEST_CASE("A bitcast moves no bytes") {
  // Rows of the operand are contiguous; of the result columns are.
  CHECK(Value(R"(HloModule m
ENTRY e {
  x = f32[2,3]{1,0} constant({{0, 1, 2}, {3, 4, 5}})
  ROOT y = f32[3,2]{0,1} bitcast(x)
})") == Value(R"(HloModule m
ENTRY e {
  ROOT y = f32[3,2]{0,1} constant({{0, 3}, {1, 4}, {2, 5}})
})"));
  CHECK(Value(R"(HloModule m
ENTRY e {
  x = f32[2,3]{0,1} constant({{0, 1, 2}, {3, 4, 5}})
  ROOT y = f32[6] bitcast(x)
})") == "f32[6] {0, 3, 1, 4, 2, 5}");
  CHECK(Value(R"(HloModule m
ENTRY e {
  x = s32[2] constant({1065353216, 0})
  ROOT y = f32[1,2] bitcast(x)
})") == "f32[1,2] {{1, 0}}");
}

TEST_CASE("Indices of dynamic slices may be a vector") {
  CHECK(Value(R"(HloModule m
ENTRY e {
  x = f32[2,3] constant({{0, 1, 2}, {3, 4, 5}})
  i = s32[2] constant({1, 1})
  ROOT y = f32[1,2] dynamic-slice(x, i), dynamic_slice_sizes={1,2}
})") == "f32[1,2] {{4, 5}}");
  CHECK(Value(R"(HloModule m
ENTRY e {
  x = f32[3] constant({0, 1, 2})
  u = f32[1] constant({9})
  i = s32[1] constant({1})
  ROOT y = f32[3] dynamic-update-slice(x, u, i)
})") == "f32[3] {0, 9, 2}");
}

TEST_CASE("Groups of participants in all their spellings") {
  auto groups = [](std::string_view spelling) {
    auto m =
        ParseRoundTrip(Format("HloModule m\nENTRY e {{ x = f32[8] parameter(0) ROOT y = f32[8] "
                              "collective-broadcast(x), channel_id=2, replica_groups={} }}",
                              spelling));
    return m->entry()->root()->attrs<CollectiveAttrs>().replica_groups;
  };
  CHECK(groups("{}").empty());
  CHECK(groups("{{0,1},{3,2}}") == Groups{{0, 1}, {3, 2}});
  CHECK(groups("[2,3]<=[6]") == Groups{{0, 1, 2}, {3, 4, 5}});
  CHECK(groups("[3,2]<=[2,3]T(1,0)") == Groups{{0, 3}, {1, 4}, {2, 5}});
  CHECK(groups("[1,8]<=[2,2,2]T(2,0,1)") == Groups{{0, 2, 4, 6, 1, 3, 5, 7}});
}

TEST_CASE("Participants of the module") {
  auto m = ParseRoundTrip(
      "HloModule m, replica_count=2, num_partitions=4\nENTRY e { ROOT r = u32[] "
      "replica-id() }");
  CHECK(m->replica_count() == 2);
  CHECK(m->partition_count() == 4);
  CHECK(MessageOf(Evaluate(*m, {}).status()) ==
        "replica-id 'r' is between several participants, and programs run on one device");
  CHECK(Value("HloModule m, num_partitions=4\nENTRY e { ROOT r = u32[] replica-id() }") ==
        "u32[] 0");
}

TEST_CASE("Donors give their storage to the first result that fits") {
  auto m = ParseRoundTrip(
      R"(HloModule m, input_output_alias={ {0}: (0, {}, must-alias) }, buffer_donor={ (1, {}), (2, {}) }
ENTRY e {
  a = f32[2] parameter(0)
  b = f32[2] parameter(1)
  c = s32[2] parameter(2)
  ROOT t = (f32[2], f32[2]) tuple(b, a)
})");
  CHECK(m->aliases() == std::vector<InputOutputAlias>{{{0}, 0, {}, true}, {{1}, 1, {}, false}});
}

TEST_CASE("Donors that no result has the shape of give their storage to one of as many bytes") {
  auto m = ParseRoundTrip(
      R"(HloModule m, buffer_donor={ (0, {}), (1, {}), (2, {}), (3, {}) }
ENTRY e {
  a = f32[4] parameter(0)
  b = f32[2,2] parameter(1)
  c = s32[4] parameter(2)
  d = f32[8] parameter(3)
  x = f32[2,2] reshape(a)
  y = u8[4,4] bitcast-convert(c)
  z = f32[2] slice(d), slice={[0:2]}
  ROOT t = (u8[4,4], f32[2,2], f32[2]) tuple(y, x, z)
})");
  CHECK(m->aliases() == std::vector<InputOutputAlias>{{{1}, 1, {}, false}, {{0}, 0, {}, false}});
}

TEST_CASE("Ends may say again what they end, and nothing else") {
  auto with = [](std::string_view attribute) {
    return Format(R"(HloModule m
ENTRY e {{
  x = f32[8] parameter(0)
  s = ((f32[8]), f32[4], s32[]) slice-start(x), slice={{[0:4]}}
  ROOT d = f32[4] slice-done(s), {}
}})",
                  attribute);
  };
  CHECK(ParseRoundTrip(with("slice={[0:4]}"))->entry()->root()->op() == HloOpcode::Slice);
  CHECK(ErrorOf(with("dimensions={0}")) == "m.hlo:5:34: slice-done has no attribute 'dimensions'");
}

TEST_CASE("Attributes of all kinds are read or skipped") {
  auto m = ParseRoundTrip(
      R"(HloModule m, is_scheduled=true, entry_computation_layout={(f32[2]{0:T(256)})->(f32[2]{0}, /*index=1*/f32[2]{0:S(1)})}, allow_spmd_sharding_propagation_to_output={true}, frontend_attributes={fingerprint="a}b",xla.k={a = dense<1> : tensor<i32>}}, origin_recovery_table={
  {"a"} : {"b"},
  "
    HloModule inner
    ENTRY %e () -> f32[] { ROOT %c = f32[] constant(0) }
  "
}

FileNames
1 "a.py"
2 "b \"x\".py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=10 end_line=10 column=2 end_column=31}
2 {file_name_id=2 function_name_id=1 line=20 end_line=20 column=1 end_column=3}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=1}


%max (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %m = f32[] maximum(f32[] %a, f32[] %b)
}, execution_thread="main"

ENTRY %e (p: f32[2]) -> (f32[2], f32[2]) {
  %p = f32[2]{0:T(8,128)(2,1)E(4)S(1)} parameter(0), sharding={devices=[2,1]<=[2] last_tile_dims={manual}}, origin={{"v1"}}, metadata={op_type="a" op_name="x/y" stack_frame_id=2 profile_type={1} deduplicated_name="d" scheduling_name="s"}
  %l = f32[2]{0} custom-call(f32[2]{0} %p), custom_call_target="f", literal=s32[2]{0} {1, 2}, operand_layout_constraints={f32[2]{0}}, api_version=API_VERSION_TYPED_FFI, output_to_operand_aliasing={{}: (0, {})}, schedule=SCHEDULE_LATEST, called_computations={%max}, window={size=2x2}, dim_labels=?b01f_0?1io->b01?f, backend_config={key: "}", n: {m: [1, 2]}}
  %k = f32[2]{0} custom-call(f32[2]{0} %l), custom_call_target="g", literal=( s32[1]{0} {4}, pred[2]{0} {1, 0} ), metadata={op_name="z" source_file="c.py" source_line=7 stack_frame_id=1}
  %r = f32[2]{0} add(%l, %k), frontend_attributes={composite.attributes={n = 1 : i32, t = dense<1> : tensor<i32>},composite.name="foo.bar"}, statistics={visualizing_index=0,a=1.5}, control-predecessors={%p}
  ROOT %t = (f32[2]{0}, /*index=1*/f32[2]{0}) tuple(f32[2]{0} %r, /*index=1*/f32[2]{0} %k)
}
)");
  const HloInstruction* p = m->entry()->parameter(0);
  CHECK(p->metadata() ==
        Metadata{"x/y", "b \"x\".py", 20,
                 "op_type=\"a\" profile_type={1} deduplicated_name=\"d\" scheduling_name=\"s\""});
  const HloInstruction* k = m->entry()->root()->operand(1);
  CHECK(k->metadata() == Metadata{"z", "c.py", 7, ""});
  CHECK(k->operand(0)->attrs<CustomCallAttrs>().opaque == "{key: \"}\", n: {m: [1, 2]}}");
}

TEST_CASE("Custom calls state in which layouts they take and give arrays") {
  auto m = ParseRoundTrip(R"(HloModule m
ENTRY e {
  x = f32[5,2] parameter(0)
  y = f32[5,2]{0,1} custom-call(x), custom_call_target="f", operand_layout_constraints={f32[5,2]{0,1}}, output_to_operand_aliasing={{}: (0, {})}
  z = f32[5,2] custom-call(y), custom_call_target="g", api_version=API_VERSION_TYPED_FFI
  ROOT w = f32[2,5] bitcast(y)
})");
  const HloInstruction* w = m->entry()->root();
  CHECK(w->op() == HloOpcode::Copy);  // of columns one after the other, which need no transpose
  std::map<std::string, CustomCallAttrs> calls;
  for (const auto& i : m->entry()->instructions()) {
    if (i->op() != HloOpcode::CustomCall) continue;
    const auto& a = i->attrs<CustomCallAttrs>();
    calls[a.custom_call_target] = a;
  }
  const CustomCallAttrs &f = calls["f"], &g = calls["g"];
  CHECK(f.layouts == CustomCallLayouts{{{0, 1}}, {{0, 1}}});
  CHECK(f.output_to_operand_aliasing == std::vector<OutputOperandAlias>{{{}, 0, {}}});
  // Without constraints as the operand lies there.
  CHECK(g.layouts == CustomCallLayouts{{{0, 1}}, {{}}});
  CHECK(g.api_version == CustomCallApiVersion::kTypedFfi);
  const std::string printed = Print(*m);
  CHECK(printed.find("y = f32[5,2]{0,1} custom-call(x), custom_call_target=\"f\", "
                     "output_to_operand_aliasing={{}: (0, {})}, "
                     "operand_layout_constraints={f32[5,2]{0,1}}\n") != std::string::npos);
  CHECK(printed.find("z = f32[5,2] custom-call(y), custom_call_target=\"g\", "
                     "api_version=API_VERSION_TYPED_FFI, "
                     "operand_layout_constraints={f32[5,2]{0,1}}\n") != std::string::npos);
  auto q = ParseRoundTrip(R"(HloModule m
ENTRY e {
  x = f32[3,2] parameter(0)
  ROOT q = (f32[3,2]{0,1}, f32[2]) custom-call(x), custom_call_target="Qr"
})");
  CHECK(q->entry()->root()->attrs<CustomCallAttrs>().layouts.empty());
  CHECK(ErrorOf(
            "HloModule m\nENTRY e {\n  x = f32[2] parameter(0)\n  ROOT y = f32[2] custom-call(x), "
            "custom_call_target=\"f\", operand_layout_constraints={f32[3]{0}}\n}") ==
        "m.hlo:4:86: operand_layout_constraints are not the operands' shapes");
  // Inside tuples, operands and results.
  auto t = ParseRoundTrip(R"(HloModule m
ENTRY e {
  x = (f32[4,3]{0,1}, (f32[2], f32[5,6]{0,1})) parameter(0)
  ROOT y = ((f32[2,3]{0,1}), f32[2]) custom-call(x), custom_call_target="f"
})");
  CHECK(t->entry()->root()->attrs<CustomCallAttrs>().layouts ==
        CustomCallLayouts{{{0, 1}, {}, {0, 1}}, {{0, 1}, {}}});
}

TEST_CASE("Asynchronous custom calls state layouts too") {
  auto m = ParseRoundTrip(R"(HloModule m
ENTRY e {
  x = f32[5,2] parameter(0)
  s = ((f32[5,2]{0,1}), f32[5,2]{0,1}, s32[]) custom-call-start(x), custom_call_target="g", operand_layout_constraints={f32[5,2]{0,1}}
  ROOT d = f32[5,2]{0,1} custom-call-done(s)
})");
  CHECK(Print(*m).find("custom-call(x), custom_call_target=\"g\", "
                       "operand_layout_constraints={f32[5,2]{0,1}}") != std::string::npos);
}

TEST_CASE("Values in all spellings") {
  CHECK(Value("HloModule m\nENTRY e { ROOT c = bf16[3] constant({-nan(0x7f), nan(0x1), -nan}) }") ==
        "bf16[3] {-nan(0x7f), nan(0x1), -nan}");
  CHECK(Value("HloModule m\nENTRY e { ROOT c = u64[] constant(18446744073709551615) }") ==
        "u64[] 18446744073709551615");
  CHECK(Value("HloModule m\nENTRY e { ROOT c = pred[2] constant({1, false}) }") ==
        "pred[2] {true, false}");
  CHECK(Value("HloModule m\nENTRY e { ROOT c = f32[2,1,2] constant({ { /*i0=0*/ { 1, 3e+2 } }, { "
              "/*i0=1*/ { -inf, 0.1 } } }) }") == "f32[2,1,2] {{{1, 300}}, {{-inf, 0.1}}}");
  CHECK(Value("HloModule m\nENTRY e { ROOT c = (f32[2,1], c64[]) constant(( { {1}, {2} }, (2, "
              "nan) )) }") == "(f32[2,1], c64[]) ({{1}, {2}}, (2, nan))");
  CHECK(ErrorOf("HloModule m\nENTRY e { ROOT c = f32[67,89]{1,0} constant({...}) }") ==
        "m.hlo:2:46: the value of the constant was left out of the text");
}

TEST_CASE("Windows name their fields in any order") {
  auto m = ParseRoundTrip(R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[1,2,1] parameter(0)
  w = f32[1,1,1] parameter(1)
  z = f32[] constant(0)
  s = f32[] reduce-window(z, z), to_apply=add
  ROOT r = f32[1,4,1] convolution(x, w), dim_labels=b0f_0io->b0f, window={pad=1_1 size=1}, sharding={maximal device=1}
})");
  CHECK(m->entry()->root()->attrs<ConvolutionAttrs>().window[0].padding_high == 1);
}

}  // namespace
}  // namespace sinter
