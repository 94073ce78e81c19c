#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace sinter {
namespace {

// As XLA writes it.
constexpr const char* kXla =
    R"(HloModule jit_f.12, is_scheduled=true, entry_computation_layout={(f32[2]{0}, /*index=1*/(f32[],s32[]))->f32[2]{0}}, input_output_alias={ {}: (0, {}, may-alias) }, frontend_attributes={a="b}"}

%add (x: f32[], y: f32[]) -> f32[] {
  %x = f32[] parameter(0)
  %y = f32[] parameter(1)
  ROOT %add.1 = f32[] add(f32[] %x, f32[] %y), metadata={op_type="add" op_name="a\"b" source_file="f.py" source_line=3}
}, execution_thread="main"

cond { s = (s32[], f32[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0 n = s32[] constant(10)
  ROOT lt = pred[] compare(i, n), direction=LT, type=SIGNED }
body { s = (s32[], f32[2]) parameter(0)  i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[2] multiply(x, x) ROOT t = (s32[], f32[2]) tuple(j, y) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GT }
br0 { p = f32[2] parameter(0) ROOT n = f32[2] negate(p) }
br1 { ROOT p = f32[2] parameter(0) }

ENTRY %main.5 (p0: f32[2], p1: (f32[], s32[])) -> f32[2] {
  %p0 = f32[2]{0} parameter(0), sharding={replicated}, parameter_replication={true}
  %p1 = (f32[], s32[]) parameter(1)
  c = f32[2,3]{1,0} constant({ { 1, 2, 3e10 }, { nan, -inf, -0.5 } })
  cc = c64[] constant((1, -2.5)) // a comment
  ct = (f32[], pred[2]) constant((1, {1, 0}))
  e = f32[0,3] constant({})
  i0 = s32[] constant(-1)
  w0 = (s32[], f32[2]) tuple(i0, p0)
  w = (s32[], f32[2]) while((s32[], f32[2]) w0), condition=cond, body=%body
  x = f32[2] get-tuple-element(w), index=1
  /* another */
  pr = pred[] constant(true)
  cnd = f32[2] conditional(pr, x, x), true_computation=br0, false_computation=br1
  cnd2 = f32[2] conditional(i0, x, x), branch_computations={br0, br1}
  z = f32[] constant(0)
  r = f32[2] reduce(c, z), dimensions={1}, to_apply=%add
  mp = f32[2] map(x, x), dimensions={0}, to_apply=add
  s = f32[1,2] slice(c), slice={[0:1], [0:3:2]}
  pd = f32[4,8] pad(c, z), padding=0_2x1_2_1
  ps = f32[] pad(z, z), padding=
  d = f32[2,2]{0,1} dot(c, c), lhs_contracting_dims={1}, rhs_contracting_dims={1}, operand_precision={highest,default}
  b = f32[2,2] broadcast(r), dimensions={1}
  bz = f32[2,2] broadcast(z), dimensions={}
  io = s32[4,2] iota(), iota_dimension=1
  ds = f32[1,2] dynamic-slice(c, i0, i0), dynamic_slice_sizes={1,2}
  rp = f32[2] reduce-precision(x), exponent_bits=5, mantissa_bits=10
  call = f32[] custom-call(z), custom_call_target="foo", custom_call_has_side_effect=true, backend_config={"a": {"b": "}"}}
  f = f32[2] fusion(x), kind=kLoop, calls=br0
  gi = s32[4,1] constant({{0}, {1}, {0}, {1}})
  io2 = s32[2] iota(), iota_dimension=0
  g = f32[4,3]{1,0} gather(f32[2,3]{1,0} c, s32[4,1]{1,0} gi), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}
  gb = f32[2]{0} gather(c, io2), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=1, slice_sizes={1,1}, indices_are_sorted=true
  sc = f32[2,3]{1,0} scatter(c, gi, g), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, unique_indices=true, to_apply=%add
  so = f32[2,3]{1,0} sort(c), dimensions={1}, is_stable=true, to_apply=less
  tk = (f32[2,1], s32[2,1]) topk(c), k=1, largest=false
  tc = (f32[2,2]{1,0}, s32[2,2]{1,0}) custom-call(c), custom_call_target="TopK", called_computations={less}
  tok = token[] after-all()
  ROOT %out = f32[2]{0} add(cnd, f), control-predecessors={call}, sharding={replicated}
}
)";

std::unique_ptr<HloModule> Parse(std::string_view text) {
  absl::StatusOr<std::unique_ptr<HloModule>> m = ParseHloText(text, "m.hlo");
  INFO((m.ok() ? "" : MessageOf(m.status())));
  REQUIRE(m.ok());
  return std::move(*m);
}

TEST_CASE("Padding ends with its line, whatever the next one begins with") {
  auto m = ParseHloText(
      "HloModule m\nENTRY e {\np = f32[2] parameter(0)\nz = f32[] constant(0)\n"
      "q = f32[2] pad(p, z), padding=0_0\nx = f32[2] negate(q)\nROOT r = f32[2] add(q, x)\n}",
      "t.hlo");
  CHECK(MessageOf(m.status()) == "");
}

}  // namespace

TEST_CASE("What XLA writes is read, and what is printed reads back") {
  std::unique_ptr<HloModule> m = Parse(kXla);
  std::string text = Print(*m);
  CHECK(Print(*Parse(text)) == text);
  CHECK(text.find("ROOT out = f32[2] add(cnd, f), control-predecessors={call}, "
                  "sharding={replicated}\n") != std::string::npos);
  CHECK(text.find("slice={[0:1], [0:3:2]}") != std::string::npos);
  CHECK(text.find("backend_config=\"{\\\"a\\\": {\\\"b\\\": \\\"}\\\"}}\"") != std::string::npos);
  CHECK(text.find("scatter(c, gi, g), update_window_dims={1}, inserted_window_dims={0}, "
                  "scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, "
                  "unique_indices=true, to_apply=add\n") != std::string::npos);
  CHECK(text.find("topk(c), k=1, largest=false\n") != std::string::npos);
  CHECK(text.find("topk(c), k=2, largest=true\n") != std::string::npos);
  CHECK(m->entry()->name() == "main.5");
  CHECK(m->aliases().size() == 1);
  PrintOptions options;
  options.operand_shapes = true;
  options.entry_layout = true;
  CHECK(Print(*Parse(Print(*m, options))) == text);
}

TEST_CASE("A text without a header is a module of its computations") {
  const std::string sum =
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT c = f32[] add(a, b)\n}\n";
  const std::string entry =
      "main {\n  x = f32[3] parameter(0)\n  z = f32[] constant(0)\n"
      "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=sum\n}\n";
  for (const std::string& text :
       {sum + entry, sum + "ENTRY " + entry, "/* one */ " + sum + entry}) {
    auto m = ParseHloText(text, "m.hlo");
    REQUIRE(MessageOf(m.status()) == "");
    CHECK((*m)->entry()->name() == "main");
    auto with_header = ParseHloText("HloModule module\n" + text, "m.hlo");
    REQUIRE(MessageOf(with_header.status()) == "");
    CHECK(Print(**m) == Print(**with_header));
  }
}

TEST_CASE("An instruction alone takes its operands as parameters") {
  const std::string text =
      "%r = f32[2]{0} fusion(f32[2]{0} %p, f32[] %q, f32[2]{0} %p), kind=kLoop, "
      "calls=\n{\n  %a = f32[2]{0} parameter(0)\n  %b = f32[] parameter(1)\n"
      "  %c = f32[2]{0} parameter(2)\n  ROOT %d = f32[2]{0} add(%a, %c)\n}\n";
  auto m = ParseHloText(text, "m.hlo");
  REQUIRE(MessageOf(m.status()) == "");
  const HloComputation& entry = *(*m)->entry();
  REQUIRE(entry.parameters().size() == 2);
  CHECK(entry.parameter(0)->name() == "p");
  CHECK(entry.parameter(1)->shape().ToString() == "f32[]");
  CHECK(entry.root()->name() == "r");
  CHECK(entry.root()->operand(2) == entry.parameter(0));
  auto error = [](std::string_view refused) {
    const std::string message = MessageOf(ParseHloText(refused, "m.hlo").status());
    return message.substr(0, message.find('\n'));
  };
  CHECK(error("r = f32[] add(f32[] a, b)") ==
        "m.hlo:1:24: there is no instruction 'b' before this one");
  CHECK(error("r = f32[] negate(f32[] a)\ns = f32[] negate(r)") ==
        "m.hlo:2:1: expected the end of the text behind an instruction without a computation");
  CHECK(error("r = f32[] add(f32[] a, f32[2] a)") == "m.hlo:1:24: 'a' is f32[], not f32[2]");
  CHECK(error("f32[] negate(f32[] a)") == "m.hlo:1:1: expected 'HloModule'");
  CHECK(error("r = f32[] parameter(1)") == "m.hlo:1:1: the computation has no parameter 0");
}

TEST_CASE("Custom calls take the default layout of parameters that have another") {
  const std::string text =
      "HloModule m\n\nENTRY main {\n  p = f32[4,3]{0,1} parameter(0)\n"
      "  q = (f32[2,3]{0,1}, f32[]) parameter(1)\n"
      "  ROOT r = f32[] custom-call(p, q), custom_call_target=\"f\", "
      "operand_layout_constraints={f32[4,3]{1,0}, (f32[2,3]{1,0}, f32[])}\n}\n";
  auto m = ParseHloText(text, "m.hlo");
  REQUIRE(MessageOf(m.status()) == "");
  CHECK(Print(**m) == text);
}

TEST_CASE("Accuracies of results") {
  auto status = [](std::string_view op, std::string_view accuracy) {
    auto m =
        ParseHloText(Format("HloModule m\nENTRY e {{\n  p = f32[] parameter(0)\n  ROOT r = f32[] "
                            "{}(p), result_accuracy={}\n}}\n",
                            op, accuracy),
                     "m.hlo");
    const std::string message = MessageOf(m.status());
    return m.ok() ? std::string(*Find((*m)->entry()->root()->annotations(), "result_accuracy"))
                  : message.substr(0, message.find('\n'));
  };
  const std::string tolerance = "{tolerance={atol=0.5,rtol=0,ulps=2}}";
  CHECK(status("tanh", tolerance) == tolerance);
  CHECK(status("exponential", "{mode=highest}") == "{mode=highest}");
  CHECK(status("negate", tolerance) == "m.hlo:4:45: negate has no result_accuracy");
  CHECK(status("tanh", "{mode=high}") == "m.hlo:4:49: expected default or highest");
  CHECK(status("tanh", "{foo=1}") == "m.hlo:4:44: expected tolerance or mode");
  CHECK(status("tanh", "{0.5}") == "m.hlo:4:44: expected tolerance or mode");
}

TEST_CASE("Print of a small module") {
  const char* text =
      "HloModule m\n\nENTRY main {\n  p = f32[2] parameter(0)\n  ROOT n = f32[2] negate(p)\n}\n";
  CHECK(Print(*Parse(text)) == text);
}

TEST_CASE("Passes may leave instructions out of order; the text is in order") {
  std::unique_ptr<HloModule> m = Parse(
      "HloModule m\nENTRY main { p = f32[] parameter(0) n = f32[] negate(p) ROOT e = f32[] "
      "exponential(n) }");
  HloComputation* c = m->entry();
  HloInstruction* a =
      *c->Add(HloOpcode::Add, {c->parameter(0), c->parameter(0)}, NoAttrs{}, {}, nullptr, "a");
  c->instructions()[1]->ReplaceOperand(0, a);
  CHECK(Print(*Parse(Print(*m))) == Print(*m));
}

TEST_CASE("An error shows its place") {
  absl::StatusOr<std::unique_ptr<HloModule>> m =
      ParseHloText("HloModule m\nENTRY main {\n\tROOT p = f32[2 parameter(0)\n}\n", "a.hlo");
  CHECK(MessageOf(m.status()) ==
        "a.hlo:3:17: expected ',' or ']' in the dimensions of a shape\n\tROOT p = f32[2 "
        "parameter(0)\n\t               ^");
}

TEST_CASE("Long lines are shown around the place") {
  std::string numbers(1000000, '1');
  absl::StatusOr<std::unique_ptr<HloModule>> m = ParseHloText(
      "HloModule m\nENTRY main { ROOT p = s32[2] constant({" + numbers + "}) }", "a.hlo");
  CHECK(!m.ok());
}

TEST_CASE("Deep nesting is refused, deep graphs are read") {
  for (const char* open : {"(", "{", "["}) {
    std::string text = "HloModule m, a=";
    for (int i = 0; i < 1000000; ++i) text += open;
    CHECK(!ParseHloText(text, "m").ok());
  }
  std::string text = "HloModule m\nENTRY main {\n  x0 = f32[2] parameter(0)\n";
  for (int i = 1; i <= 100000; ++i) text += Format("  x{} = f32[2] negate(x{})\n", i, i - 1);
  CHECK(Parse(text + "}\n")->entry()->instructions().size() == 100001);
}

TEST_CASE("Mutated text never crashes, and what is accepted prints and reads back") {
  const std::string original = kXla;
  const std::string_view alphabet = "(){}[],=%\"/*-x0123456789:<>?._\nabf32ROOT\\";
  uint64_t state = 88172645463325252;
  auto next = [&](size_t limit) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<size_t>(state % limit);
  };
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = original;
    for (size_t n = next(3) + 1; n > 0; --n) {
      size_t at = next(text.size());
      switch (next(5)) {
        case 0:
          text[at] = alphabet[next(alphabet.size())];
          break;
        case 1:
          text.erase(at, next(20) + 1);
          break;
        case 2:
          text.insert(at, 1, alphabet[next(alphabet.size())]);
          break;
        case 3:
          text.insert(at, text.substr(next(text.size()), next(30)));
          break;
        case 4:
          if (next(10) == 0) text.resize(at + 1);
          break;
      }
    }
    absl::StatusOr<std::unique_ptr<HloModule>> m = ParseHloText(text, "m.hlo");
    if (!m.ok()) continue;
    ++accepted;
    std::string printed = Print(**m);
    absl::StatusOr<std::unique_ptr<HloModule>> again = ParseHloText(printed, "again.hlo");
    INFO(text);
    INFO((again.ok() ? "" : MessageOf(again.status())));
    REQUIRE(again.ok());
    REQUIRE(Print(**again) == printed);
  }
  CHECK(accepted > 100);
}

}  // namespace sinter
