#include "passes/buffers/assign.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/status.h"
#include "ir/text/parser.h"

namespace sinter {
namespace {

using program::Copy;
using program::Step;
using program::While;

// A fused module in which regions that write a window have the operand of that name first.
BufferAssignment Assign(const char* text) {
  auto module = ParseHloText(text, "t");
  REQUIRE(module.ok());
  auto facts = [](const HloInstruction* fusion) -> const KernelFacts& {
    static const KernelFacts plain, elementwise{.in_place = {true}}, both{.in_place = {true, true}},
        window{.bases = {{0}}};
    const HloOpcode root = fusion->called(0)->root()->op();
    return root == HloOpcode::DynamicUpdateSlice ? window
           : root == HloOpcode::Multiply         ? both
           : root == HloOpcode::Add              ? elementwise
                                                 : plain;
  };
  auto assigned = AssignBuffers(**module, facts, 2);
  REQUIRE(assigned.ok());
  return *std::move(assigned);
}

int Copies(const std::vector<Step>& steps) {
  int n = 0;
  for (const Step& s : steps) n += std::holds_alternative<Copy>(s.op);
  return n;
}
int64_t CopiedBytes(const std::vector<Step>& steps) {
  int64_t bytes = 0;
  for (const Step& s : steps) {
    if (auto* copy = std::get_if<Copy>(&s.op)) bytes += copy->source.size;
  }
  return bytes;
}
const While& Loop(const std::vector<Step>& steps) {
  for (const Step& s : steps) {
    if (auto* loop = std::get_if<While>(&s.op)) return *loop;
  }
  FAIL("no loop");
  return std::get<While>(steps[0].op);
}

constexpr const char* kLoop = R"(HloModule m
set { x = f32[1000] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) ROOT r = f32[1000] dynamic-update-slice(x, u, i) }
get { x = f32[1000] parameter(0) i = s32[] parameter(1) ROOT r = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1} }
more { x = f32[1000] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) r = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1} ROOT q = f32[1] maximum(r, u) }
next { i = s32[] parameter(0) o = s32[] constant(1) ROOT r = s32[] add(i, o) }
less { i = s32[] parameter(0) n = s32[] constant(9) ROOT r = pred[] compare(i, n), direction=LT }
cond {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] fusion(i), kind=kLoop, calls=less
}
body {
  s = (s32[], f32[1000]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  x = f32[1000] get-tuple-element(s), index=1
  %s
  j = s32[] fusion(i), kind=kLoop, calls=next
  ROOT r = (s32[], f32[1000]) tuple(j, y)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[1000] parameter(1)
  s = (s32[], f32[1000]) tuple(i, x)
  ROOT w = (s32[], f32[1000]) while(s), condition=cond, body=body
})";

BufferAssignment AssignLoop(const std::string& body) {
  std::string text = kLoop;
  text.replace(text.find("%s"), 2, body);
  return Assign(text.c_str());
}

TEST_CASE("a loop whose state is no longer needed writes its windows in place") {
  BufferAssignment a = AssignLoop(R"(
  u = f32[1] fusion(x, i), kind=kLoop, calls=get
  y = f32[1000] fusion(x, u, i), kind=kLoop, calls=set)");
  CHECK(Copies(a.program.steps) == 2);                  // the arguments into the state
  CHECK(CopiedBytes(Loop(a.program.steps).body) <= 4);  // the counter, which is read later
  CHECK(a.program.temp_bytes < 1000);
}

TEST_CASE("two windows after one another are written in place") {
  BufferAssignment a = AssignLoop(R"(
  u = f32[1] fusion(x, i), kind=kLoop, calls=get
  t = f32[1000] fusion(x, u, i), kind=kLoop, calls=set
  v = f32[1] fusion(t, i), kind=kLoop, calls=get
  y = f32[1000] fusion(t, v, i), kind=kLoop, calls=set)");
  CHECK(CopiedBytes(Loop(a.program.steps).body) <= 4);  // the counter, which is read later
  CHECK(a.program.temp_bytes < 1000);
}

TEST_CASE("a state that is read after the window is written is copied first") {
  BufferAssignment a = AssignLoop(R"(
  one = f32[1] constant({1})
  t = f32[1000] fusion(x, one, i), kind=kLoop, calls=set
  u = f32[1] fusion(t, i), kind=kLoop, calls=get
  both = f32[1] fusion(x, u, i), kind=kLoop, calls=more
  y = f32[1000] fusion(t, both, i), kind=kLoop, calls=set)");
  CHECK(CopiedBytes(Loop(a.program.steps).body) >= 4000);
}

TEST_CASE("what reads the state and can come before the window is written does") {
  BufferAssignment a = AssignLoop(R"(
  one = f32[1] constant({1})
  t = f32[1000] fusion(x, one, i), kind=kLoop, calls=set
  u = f32[1] fusion(t, i), kind=kLoop, calls=get
  k = s32[] fusion(i), kind=kLoop, calls=next
  before = f32[1] fusion(x, k), kind=kLoop, calls=get
  y = f32[1000] fusion(t, before, i), kind=kLoop, calls=set)");
  CHECK(CopiedBytes(Loop(a.program.steps).body) <= 4);  // the counter, which is read later
}

constexpr const char* kBranches = R"(HloModule m
set { x = f32[1000] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) ROOT r = f32[1000] dynamic-update-slice(x, u, i) }
twice { x = f32[1000] parameter(0) ROOT r = f32[1000] add(x, x) }
more { x = f32[1000] parameter(0) y = f32[1000] parameter(1) ROOT r = f32[1000] subtract(x, y) }
changes {
  s = (f32[1000], s32[]) parameter(0)
  x = f32[1000] get-tuple-element(s), index=0
  i = s32[] get-tuple-element(s), index=1
  one = f32[1] constant({1})
  %s
}
keeps {
  s = (f32[1000], s32[]) parameter(0)
  ROOT x = f32[1000] get-tuple-element(s), index=0
}
ENTRY e {
  p = pred[] parameter(0)
  i = s32[] parameter(1)
  a = f32[1000] parameter(2)
  x = f32[1000] fusion(a), kind=kLoop, calls=twice
  s = (f32[1000], s32[]) tuple(x, i)
  c = f32[1000] conditional(p, s, s), true_computation=changes, false_computation=keeps
  ROOT r = f32[1000] fusion(%s), kind=kLoop, calls=more
})";
BufferAssignment AssignBranches(const std::string& changed, const std::string& result) {
  std::string text = kBranches;
  text.replace(text.find("%s"), 2, changed);
  text.replace(text.find("%s"), 2, result);
  return Assign(text.c_str());
}
int64_t CopiedInBranches(const BufferAssignment& a) {
  int64_t bytes = 0;
  for (const Step& s : a.program.steps) {
    if (auto* c = std::get_if<program::Conditional>(&s.op))
      for (const std::vector<Step>& branch : c->branches) bytes += CopiedBytes(branch);
  }
  return bytes;
}

TEST_CASE("branches that change an operand or pass it on copy nothing") {
  const BufferAssignment a =
      AssignBranches("ROOT r = f32[1000] fusion(x, one, i), kind=kLoop, calls=set", "c, c");
  CHECK(CopiedInBranches(a) == 0);
  CHECK(a.program.temp_bytes < 5000);
  const BufferAssignment b =
      AssignBranches("ROOT r = f32[1000] fusion(x), kind=kLoop, calls=twice", "c, c");
  CHECK(CopiedInBranches(b) == 0);
  CHECK(b.program.temp_bytes < 5000);
}

TEST_CASE("what is read after the branches, or in one after it is changed, is copied") {
  CHECK(CopiedInBranches(AssignBranches(
            "ROOT r = f32[1000] fusion(x, one, i), kind=kLoop, calls=set", "c, x")) >= 8000);
  CHECK(CopiedInBranches(AssignBranches(R"(y = f32[1000] fusion(x, one, i), kind=kLoop, calls=set
  ROOT r = f32[1000] fusion(y, x), kind=kLoop, calls=more)",
                                        "c, c")) >= 4000);
}

TEST_CASE("what a loop overwrites is not computed before it, nor copied") {
  std::string text = kLoop;
  text.replace(text.find("constant(9)"), 11, "constant(1000)");
  text.replace(text.find("i = s32[] parameter(0)\n  x = f32[1000] parameter(1)"), 52,
               "i = s32[] constant(0)\n  p = f32[1000] parameter(0)\n"
               "  x = f32[1000] fusion(p), kind=kLoop, calls=twice\n");
  text.replace(text.find("get {"), 0,
               "twice { x = f32[1000] parameter(0) ROOT r = f32[1000] add(x, x) }\n");
  text.replace(text.find("%s"), 2,
               "u = f32[1] constant({1})\n  y = f32[1000] fusion(x, u, i), kind=kLoop, calls=set");
  const BufferAssignment a = Assign(text.c_str());
  CHECK(CopiedBytes(a.program.steps) == 4);  // the counter
  CHECK(a.program.steps.size() == 2);
  CHECK(a.program.temp_bytes < 1000);
  // One turn fewer leaves the last element.
  text.replace(text.find("constant(1000)"), 14, "constant(999)");
  const BufferAssignment b = Assign(text.c_str());
  CHECK(b.program.steps.size() == 3);
}

TEST_CASE("what cannot be computed in place exchanges its storage with the state's") {
  std::string text = kLoop;
  text.replace(
      text.find("get {"), 0,
      "turn { x = f32[1000] parameter(0) ROOT r = f32[1000] reverse(x), dimensions={0} }\n");
  text.replace(text.find("%s"), 2, "y = f32[1000] fusion(x), kind=kLoop, calls=turn");
  const BufferAssignment a = Assign(text.c_str());
  const std::vector<Step>& body = Loop(a.program.steps).body;
  const auto* copy = std::get_if<Copy>(&body.back().op);
  REQUIRE(copy != nullptr);
  CHECK(copy->exchange);
  CHECK(copy->source.allocation != copy->destination.allocation);
  CHECK(copy->source.size == 4000);
  // The counter is no more than bytes.
  CHECK(std::count_if(body.begin(), body.end(), [](const Step& s) {
          const auto* c = std::get_if<Copy>(&s.op);
          return c != nullptr && c->exchange;
        }) == 1);
}

// A loop over two arrays of so many elements, of which the first is the new second.
BufferAssignment AssignHistory(int64_t n, const std::string& next) {
  std::string text = R"(HloModule m
left { x = f32[%n] parameter(0) y = f32[%n] parameter(1) z = f32[%n] reverse(y), dimensions={0} ROOT r = f32[%n] add(x, z) }
other { x = f32[%n] parameter(0) y = f32[%n] parameter(1) ROOT r = f32[%n] subtract(x, y) }
next { i = s32[] parameter(0) o = s32[] constant(1) ROOT r = s32[] add(i, o) }
less { i = s32[] parameter(0) n = s32[] constant(9) ROOT r = pred[] compare(i, n), direction=LT }
cond {
  s = (s32[], f32[%n], f32[%n]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ROOT r = pred[] fusion(i), kind=kLoop, calls=less
}
body {
  s = (s32[], f32[%n], f32[%n]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[%n] get-tuple-element(s), index=1
  b = f32[%n] get-tuple-element(s), index=2
  c = f32[%n] fusion(b, a), kind=kLoop, calls=%f
  j = s32[] fusion(i), kind=kLoop, calls=next
  ROOT r = (s32[], f32[%n], f32[%n]) tuple(j, c, a)
}
ENTRY e {
  i = s32[] parameter(0)
  x = f32[%n] parameter(1)
  y = f32[%n] parameter(2)
  s = (s32[], f32[%n], f32[%n]) tuple(i, x, y)
  w = (s32[], f32[%n], f32[%n]) while(s), condition=cond, body=body
  ROOT r = f32[%n] get-tuple-element(w), index=1
})";
  for (const auto& [mark, with] : {std::pair("%n", std::to_string(n)), std::pair("%f", next)}) {
    for (size_t at; (at = text.find(mark)) != std::string::npos;) text.replace(at, 2, with);
  }
  return Assign(text.c_str());
}

TEST_CASE("the newest of a history is computed in the oldest's storage, and both change places") {
  auto count = [](const BufferAssignment& a) {
    const std::vector<Step>& body = Loop(a.program.steps).body;
    std::pair<int, int> n;  // exchanges, and copies that these leave out
    for (const Step& s : body) {
      const auto* c = std::get_if<Copy>(&s.op);
      if (c != nullptr) n.first += c->exchange, n.second += c->keeps;
    }
    return n;
  };
  CHECK(count(AssignHistory(100000, "left")) == std::pair(1, 2));
  // Not where the old elements are still needed, nor where copies cost nothing.
  CHECK(count(AssignHistory(100000, "other")).second == 0);
  CHECK(count(AssignHistory(100, "left")).second == 0);
}

TEST_CASE("what a loop passes on as it is stays where it was") {
  // The array is the loop's and the argument's, and is read in every turn.
  std::string text = kLoop;
  text.replace(text.find("%s"), 2, "u = f32[1] fusion(x, i), kind=kLoop, calls=get");
  const std::string state = "tuple(j, y)";
  text.replace(text.find(state), state.size(), "tuple(j, x)");
  const BufferAssignment a = Assign(text.c_str());
  CHECK(CopiedBytes(Loop(a.program.steps).body) <= 4);
  CHECK(CopiedBytes(a.program.steps) <= 4004);  // the counter, and the result at the end
  CHECK(a.program.temp_bytes < 1000);
}

TEST_CASE("a result and all that it is made of in place take over a donated argument") {
  BufferAssignment a = Assign(R"(HloModule m, input_output_alias={ {}: (1, {}, may-alias) }
set { x = f32[10] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) ROOT r = f32[10] dynamic-update-slice(x, u, i) }
get { x = f32[10] parameter(0) i = s32[] parameter(1) ROOT r = f32[1] dynamic-slice(x, i), dynamic_slice_sizes={1} }
ENTRY e {
  i = s32[] parameter(0)
  x = f32[10] parameter(1)
  u = f32[1] parameter(2)
  y = f32[10] fusion(x, u, i), kind=kLoop, calls=set
  v = f32[1] fusion(y, i), kind=kLoop, calls=get
  z = f32[10] fusion(y, v, i), kind=kLoop, calls=set
  ROOT r = f32[10] fusion(z, u, i), kind=kLoop, calls=set
})");
  CHECK(Copies(a.program.steps) == 1);  // from the argument, which may be no copy
  CHECK(a.program.temp_bytes <= 64);
  const auto result = static_cast<size_t>(a.program.results[0].allocation);
  CHECK(a.program.allocations[result].aliased_argument == 1);
}

TEST_CASE(
    "of two values that a result may be computed over it takes one, also where it is one twice") {
  const BufferAssignment a = Assign(R"(HloModule m
turn { x = f32[10] parameter(0) ROOT r = f32[10] reverse(x), dimensions={0} }
both { x = f32[10] parameter(0) y = f32[10] parameter(1) ROOT r = f32[10] multiply(x, y) }
ENTRY e {
  x = f32[10] parameter(0)
  y = f32[10] parameter(1)
  t = f32[10] fusion(x), kind=kLoop, calls=turn
  u = f32[10] fusion(y), kind=kLoop, calls=turn
  z = f32[10] fusion(t, u), kind=kLoop, calls=both
  ROOT r = (f32[10], f32[10]) tuple(z, z)
})");
  const auto& last = std::get<program::Launch>(a.program.steps.back().op);
  CHECK(last.buffers[0].allocation != last.buffers[1].allocation);
}

TEST_CASE("an array that is a result and is written over is copied") {
  BufferAssignment a = Assign(R"(HloModule m
set { x = f32[10] parameter(0) u = f32[1] parameter(1) i = s32[] parameter(2) ROOT r = f32[10] dynamic-update-slice(x, u, i) }
twice { x = f32[10] parameter(0) ROOT r = f32[10] add(x, x) }
ENTRY e {
  i = s32[] parameter(0)
  x = f32[10] parameter(1)
  u = f32[1] parameter(2)
  t = f32[10] fusion(x), kind=kLoop, calls=twice
  y = f32[10] fusion(t, u, i), kind=kLoop, calls=set
  ROOT r = (f32[10], f32[10]) tuple(t, y)
})");
  CHECK(Copies(a.program.steps) == 1);
  CHECK(a.program.results[0].allocation != a.program.results[1].allocation);
}

// What steps are, in one word each.
std::string Kinds(const std::vector<Step>& steps) {
  std::string out;
  for (const Step& s : steps) {
    if (!out.empty()) out += " ";
    if (const auto* c = std::get_if<program::Collective>(&s.op)) {
      out += c->ticket < 0 ? "meet" : Format("begin{}", c->ticket);
    } else if (const auto* a = std::get_if<program::Await>(&s.op)) {
      out += Format("await{}", a->ticket);
    } else if (const auto* l = std::get_if<program::Launch>(&s.op)) {
      out += l->name;
    } else {
      out += "other";
    }
  }
  return out;
}

constexpr const char* kCollectives = R"(HloModule m, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
both { x = f32[10] parameter(0) y = f32[10] parameter(1) ROOT r = f32[10] multiply(x, y) }
turn { x = f32[10] parameter(0) ROOT r = f32[10] reverse(x), dimensions={0} }
)";

TEST_CASE("what a collective's end is not needed for comes before it, and nothing is overwritten") {
  const BufferAssignment a = Assign((std::string(kCollectives) + R"(ENTRY e {
  x = f32[10] parameter(0)
  w = f32[10] fusion(x), kind=kLoop, calls=turn
  t = f32[10] fusion(x), kind=kLoop, calls=turn
  s = f32[10] all-reduce-start(t), to_apply=sum, replica_groups={}
  g = (f32[10], f32[20]) all-gather-start(t), dimensions={0}, replica_groups={}
  d = f32[10] all-reduce-done(s)
  h = f32[20] all-gather-done(g)
  v = f32[10] fusion(w, t), kind=kLoop, calls=both
  u = f32[10] fusion(d, v), kind=kLoop, calls=both
  ROOT r = (f32[10], f32[20]) tuple(u, h)
})")
                                        .c_str());
  CHECK(Kinds(a.program.steps) == "t begin0 begin1 w v await0 u await1");
  // t is read until both have ended: neither the sum nor v takes its storage.
  const auto& reduce = std::get<program::Collective>(a.program.steps[1].op);
  const auto& v = std::get<program::Launch>(a.program.steps[4].op);
  auto overlap = [&](const program::Slice& x, const program::Slice& y) {
    const auto &p = a.program.allocations[static_cast<size_t>(x.allocation)],
               &q = a.program.allocations[static_cast<size_t>(y.allocation)];
    if (x.allocation == y.allocation) return true;
    if (p.residence != program::Residence::kTemp || q.residence != program::Residence::kTemp)
      return false;
    return p.offset < q.offset + q.size && q.offset < p.offset + p.size;
  };
  CHECK_FALSE(overlap(reduce.operands[0], reduce.results[0]));
  CHECK_FALSE(overlap(reduce.operands[0], v.buffers[2]));
  CHECK_FALSE(overlap(reduce.results[0], v.buffers[2]));
}

TEST_CASE("a collective that begins reduces where its operand is, if only it reads it") {
  const BufferAssignment a = Assign((std::string(kCollectives) + R"(ENTRY e {
  x = f32[10] parameter(0)
  t = f32[10] fusion(x), kind=kLoop, calls=turn
  s = f32[10] all-reduce-start(t), to_apply=sum, replica_groups={}
  w = f32[10] fusion(x), kind=kLoop, calls=turn
  d = f32[10] all-reduce-done(s)
  ROOT r = f32[10] fusion(w, d), kind=kLoop, calls=both
})")
                                        .c_str());
  CHECK(Kinds(a.program.steps) == "t begin0 w await0 r");
  const auto& reduce = std::get<program::Collective>(a.program.steps[1].op);
  const auto& w = std::get<program::Launch>(a.program.steps[2].op);
  CHECK(reduce.operands[0].allocation == reduce.results[0].allocation);
  CHECK(w.buffers[1].allocation != reduce.results[0].allocation);
}

TEST_CASE("a collective with nothing beside it is one step") {
  const BufferAssignment a = Assign((std::string(kCollectives) + R"(ENTRY e {
  x = f32[10] parameter(0)
  s = f32[10] all-reduce-start(x), to_apply=sum, replica_groups={}
  d = f32[10] all-reduce-done(s)
  ROOT r = f32[10] fusion(d), kind=kLoop, calls=turn
})")
                                        .c_str());
  CHECK(Kinds(a.program.steps) == "meet r");
}

}  // namespace
}  // namespace sinter
