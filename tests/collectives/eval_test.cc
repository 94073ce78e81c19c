// What participants get from each other on the interpreter, by hand.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

std::string Told(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

using Arguments = std::vector<std::vector<Literal>>;

std::unique_ptr<HloModule> Parse(const std::string& text, collective::Grid grid) {
  auto module = ParseHloText(text, "test.hlo");
  INFO(Told(module.status()));
  REQUIRE(module.ok());
  (*module)->set_replica_count(grid.replicas);
  (*module)->set_partition_count(grid.partitions);
  REQUIRE(Told(VerifyModule(**module)) == "ok");
  return std::move(module).value();
}

// For each participant {10 n, 10 n + 1, ...}.
Arguments Numbered(int64_t participants, int64_t elements) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    std::vector<int32_t> x;
    for (int64_t k = 0; k < elements; ++k) x.push_back(static_cast<int32_t>(10 * n + k));
    result.push_back({Literal::R1<int32_t>(x)});
  }
  return result;
}

using Rows = std::vector<std::vector<int32_t>>;

Rows Run(const std::string& text, collective::Grid grid, const Arguments& arguments) {
  auto module = Parse(text, grid);
  auto results = EvaluateParticipants(*module, arguments);
  INFO(Told(results.status()));
  REQUIRE(results.ok());
  Rows rows;
  for (const Literal& r : *results) {
    auto data = r.data<int32_t>();
    rows.emplace_back(data.begin(), data.end());
  }
  return rows;
}

absl::Status Error(const std::string& text, collective::Grid grid, const Arguments& arguments) {
  return EvaluateParticipants(*Parse(text, grid), arguments).status();
}

constexpr const char* kAdd = R"(HloModule m
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
)";

std::string WithSum(const std::string& body) {
  return std::string(kAdd) + "ENTRY main {\n" + body + "}\n";
}

std::string AllReduceOver(const std::string& groups) {
  return WithSum("x = s32[1] parameter(0)\nROOT y = s32[1] all-reduce(x), to_apply=add, " + groups +
                 "\n");
}

TEST_CASE("Groups are of replicas, of both, or of participants") {
  const collective::Grid grid{2, 2};  // participants (0, 0), (0, 1), (1, 0), (1, 1)
  const Arguments x = Numbered(4, 1);
  CHECK(Run(AllReduceOver("replica_groups={{0,1}}"), grid, x) == Rows{{20}, {40}, {20}, {40}});
  CHECK(Run(AllReduceOver("replica_groups={}"), grid, x) == Rows{{20}, {40}, {20}, {40}});
  CHECK(Run(AllReduceOver("channel_id=1, replica_groups={{0},{1}}"), grid, x) ==
        Rows{{10}, {10}, {50}, {50}});
  CHECK(Run(AllReduceOver("channel_id=1, replica_groups={}"), grid, x) ==
        Rows{{60}, {60}, {60}, {60}});
  const std::string devices = ", channel_id=1, use_global_device_ids=true";
  CHECK(Run(AllReduceOver("replica_groups={{0,3},{1,2}}" + devices), grid, x) ==
        Rows{{30}, {30}, {30}, {30}});
  CHECK(Run(AllReduceOver("replica_groups=[2,2]<=[4]" + devices), grid, x) ==
        Rows{{10}, {10}, {50}, {50}});
  CHECK(Run(AllReduceOver("replica_groups=[2,2]<=[2,2]T(1,0)" + devices), grid, x) ==
        Rows{{20}, {40}, {20}, {40}});
  CHECK(Run(AllReduceOver("replica_groups=mesh['x'=2,'y'=2] {'x'}" + devices), grid, x) ==
        Rows{{20}, {40}, {20}, {40}});
}

TEST_CASE("A channel alone means partitions where groups have no other meaning") {
  const collective::Grid grid{2, 2};
  const std::string permute =
      "HloModule m\nENTRY main {\nx = s32[1] parameter(0)\nROOT y = s32[1] collective-permute(x), "
      "source_target_pairs={{0,1}}";
  CHECK(Run(permute + "\n}", grid, Numbered(4, 1)) == Rows{{0}, {0}, {0}, {10}});
  CHECK(Run(permute + ", channel_id=1\n}", grid, Numbered(4, 1)) == Rows{{0}, {0}, {0}, {20}});
}

TEST_CASE("A reduction goes through the group in its order, by any computation") {
  const std::string text = R"(HloModule m
f { a = s32[] parameter(0)
  b = s32[] parameter(1)
  two = s32[] constant(2)
  c = s32[] multiply(a, two)
  ROOT s = s32[] subtract(c, b)
}
ENTRY main {
  x = s32[1] parameter(0)
  ROOT y = s32[1] all-reduce(x), to_apply=f, replica_groups={{2,0,1}}
})";
  // (2 * 20 - 0) * 2 - 10
  CHECK(Run(text, {3, 1}, Numbered(3, 1)) == Rows{{70}, {70}, {70}});
}

TEST_CASE("Parts of arrays are exchanged") {
  const collective::Grid grid{2, 1};
  const Arguments x = Numbered(2, 4);
  CHECK(Run(WithSum("x = s32[4] parameter(0)\nROOT y = s32[2] reduce-scatter(x), dimensions={0}, "
                    "replica_groups={{1,0}}, to_apply=add\n"),
            grid, x) == Rows{{14, 16}, {10, 12}});
  CHECK(Run(WithSum("x = s32[4] parameter(0)\nROOT y = s32[8] all-gather(x), dimensions={0}, "
                    "replica_groups={{1,0}}\n"),
            grid, x) == Rows{{10, 11, 12, 13, 0, 1, 2, 3}, {10, 11, 12, 13, 0, 1, 2, 3}});
  CHECK(Run(WithSum("x = s32[4] parameter(0)\nROOT y = s32[4] all-to-all(x), dimensions={0}, "
                    "replica_groups={{0,1}}\n"),
            grid, x) == Rows{{0, 1, 10, 11}, {2, 3, 12, 13}});
  CHECK(Run(WithSum("x = s32[4] parameter(0)\na = s32[2] slice(x), slice={[0:2]}\nb = s32[2] "
                    "slice(x), slice={[2:4]}\nt = (s32[2], s32[2]) all-to-all(b, a), "
                    "replica_groups={{0,1}}\nc = s32[2] get-tuple-element(t), index=0\nd = s32[2] "
                    "get-tuple-element(t), index=1\nROOT y = s32[4] concatenate(c, d), "
                    "dimensions={0}\n"),
            grid, x) == Rows{{2, 3, 12, 13}, {0, 1, 10, 11}});
  CHECK(Run(WithSum("x = s32[4] parameter(0)\nROOT y = s32[4] collective-broadcast(x), "
                    "replica_groups={{1,0}}\n"),
            {3, 1}, Numbered(3, 4)) == Rows{{10, 11, 12, 13}, {10, 11, 12, 13}, {0, 0, 0, 0}});
}

TEST_CASE("A group of replicas with their partitions has parts for all of them") {
  const collective::Grid grid{2, 2};
  const std::string attributes = "dimensions={0}, channel_id=1, replica_groups={{1,0}}";
  CHECK(Run(WithSum("x = s32[1] parameter(0)\nROOT y = s32[4] all-gather(x), " + attributes + "\n"),
            grid, Numbered(4, 1)) ==
        Rows{{20, 0, 30, 10}, {20, 0, 30, 10}, {20, 0, 30, 10}, {20, 0, 30, 10}});
  CHECK(Run(WithSum("x = s32[4] parameter(0)\nROOT y = s32[1] reduce-scatter(x), to_apply=add, " +
                    attributes + "\n"),
            grid, Numbered(4, 4)) == Rows{{64}, {72}, {60}, {68}});
}

TEST_CASE("Rows of different numbers are exchanged") {
  const std::string text = R"(HloModule m
ENTRY main {
  x = s32[3] parameter(0)
  in = s32[2] parameter(1)
  send = s32[2] parameter(2)
  to = s32[2] parameter(3)
  got = s32[2] parameter(4)
  c = s32[] constant(-1)
  out = s32[4] broadcast(c), dimensions={}
  ROOT y = s32[4] ragged-all-to-all(x, out, in, send, to, got), replica_groups={{0,1}}
})";
  auto r1 = [](std::vector<int32_t> v) { return Literal::R1<int32_t>(v); };
  const Arguments x{{r1({1, 2, 3}), r1({0, 1}), r1({1, 2}), r1({0, 0}), r1({1, 1})},
                    {r1({7, 8, 9}), r1({0, 1}), r1({1, 1}), r1({3, 2}), r1({2, 1})}};
  CHECK(Run(text, {2, 1}, x) == Rows{{1, -1, -1, 7}, {2, 3, 8, -1}});
  Arguments wrong = x;
  wrong[0][2] = r1({1, 3});
  CHECK(Told(Error(text, {2, 1}, wrong)).find("sends 3 rows from 1 on") != std::string::npos);
}

TEST_CASE("Values are sent through channels, in a ring too") {
  const std::string pairs =
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,0}}\"}";
  const std::string text =
      "HloModule m\nENTRY main {\nx = s32[2] parameter(0)\nt = token[] "
      "after-all()\nr = (s32[2], u32[], token[]) recv(t), channel_id=1, " +
      pairs + "\ns = (s32[2], u32[], token[]) send(x, t), channel_id=1, " + pairs +
      "\nrd = (s32[2], token[]) recv-done(r), channel_id=1\nsd = token[] "
      "send-done(s), channel_id=1\nROOT y = s32[2] get-tuple-element(rd), "
      "index=0\n}";
  CHECK(Run(text, {3, 1}, Numbered(3, 2)) == Rows{{20, 21}, {0, 1}, {10, 11}});
  CHECK(Run(text, {1, 3}, Numbered(3, 2)) == Rows{{20, 21}, {0, 1}, {10, 11}});
}

TEST_CASE("Participants take their own ways, and loops exchange in each turn") {
  const std::string text = R"(HloModule m
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
less { t = (s32[], s32[1]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(3)
  ROOT c = pred[] compare(i, n), direction=LT
}
step { t = (s32[], s32[1]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = s32[1] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = s32[1] all-reduce(x), to_apply=add, replica_groups={{0,1},{2,3}}
  ROOT r = (s32[], s32[1]) tuple(j, y)
}
ENTRY main {
  x = s32[1] parameter(0)
  r = u32[] replica-id()
  p = u32[] partition-id()
  id = s32[] convert(r)
  one = u32[] constant(1)
  two = s32[] constant(2)
  start = s32[] divide(id, two)
  s = (s32[], s32[1]) tuple(start, x)
  w = (s32[], s32[1]) while(s), condition=less, body=step
  ROOT y = s32[1] get-tuple-element(w), index=1
})";
  // Participants 2 and 3 turn twice, 0 and 1 three times.
  CHECK(Run(text, {4, 1}, Numbered(4, 1)) == Rows{{40}, {40}, {100}, {100}});
}

TEST_CASE("Participants that disagree or wait for ever are told of") {
  const std::string branches = R"(HloModule m
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
mul { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] multiply(a, b)
}
sum { x = s32[1] parameter(0)
  ROOT here = s32[1] all-reduce(x), to_apply=add, channel_id=7, replica_groups={}
}
product { x = s32[1] parameter(0)
  ROOT there = s32[1] all-reduce(x), to_apply=mul, channel_id=7, replica_groups={}
}
nothing { ROOT x = s32[1] parameter(0)
}
ENTRY main {
  x = s32[1] parameter(0)
  r = u32[] replica-id()
  i = s32[] convert(r)
  ROOT y = s32[1] conditional(i, x, x), branch_computations={sum, BRANCH}
})";
  auto with = [&](const std::string& other) {
    std::string text = branches;
    return text.replace(text.find("BRANCH"), 6, other);
  };
  absl::Status s = Error(with("product"), {2, 1}, Numbered(2, 1));
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(Told(s).find("all-reduce 'here' (channel 7)") != std::string::npos);
  CHECK(Told(s).find("all-reduce 'there' (channel 7)") != std::string::npos);
  CHECK(Told(s).find("multiply of s32[]") != std::string::npos);
  s = Error(with("nothing"), {2, 1}, Numbered(2, 1));
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(Told(s).find("participant 0 waits in all-reduce 'here' (channel 7) for "
                     "participant 1; participant 1 has come to its end") != std::string::npos);

  s = Error(AllReduceOver("replica_groups={{0,1}}"), {3, 1}, Numbered(3, 1));
  CHECK(Told(s).find("participant 2 is in none of the groups") != std::string::npos);
  s = Error(AllReduceOver("replica_groups={{0,1}}"), {1, 1}, Numbered(1, 1));
  CHECK(Told(s).find("replica 1 is named") != std::string::npos);
  s = Error(AllReduceOver("replica_groups={}"), {2, 1}, Numbered(3, 1));
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sinter
