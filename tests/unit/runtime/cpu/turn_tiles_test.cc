// Turns of loops that run several at a time: whatever the order of parts, turns leave in memory
// what they leave one by one.
#include "runtime/cpu/turn_tiles.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>

#include "fake_program.h"
#include "runtime/cpu/cpu_device.h"
#include "runtime/executable.h"
#include "runtime/host_memory_pool.h"

namespace sinter::runtime::cpu {
namespace {

using fake::ProgramBuilder;
using program::Slice;
using program::TaskRanges;

// Arrays of u32, of which tasks have kWide elements.
constexpr int64_t kWide = 8, kTasks = 96, kElements = kTasks * kWide, kBytes = 4 * kElements;
// Nanoseconds of a stage that is worth threads, which meet for as long.
constexpr int64_t kShort = 3'000;

uint32_t* Elements(void* buffer) { return static_cast<uint32_t*>(buffer); }

// b[1] of b[0], of which it needs the neighbours dims[0] elements away on both sides, around the
// ends if dims[1]. No order of turns but the right one gives the same.
void Stencil(void* const* b, const int64_t* dims, int64_t lo, int64_t hi, void*) {
  const uint32_t* x = Elements(b[0]);
  auto at = [&](int64_t i) {
    if (dims[1] != 0) return x[(i + kElements) % kElements];
    return i < 0 || i >= kElements ? 1 : x[i];
  };
  for (int64_t i = lo * kWide; i < hi * kWide; ++i)
    Elements(b[1])[i] = 3 * at(i - dims[0]) + 5 * at(i) + 7 * at(i + dims[0]) + 1;
}
// Adds b[1] to b[0], where it is.
void AddTo(void* const* b, const int64_t*, int64_t lo, int64_t hi, void*) {
  for (int64_t i = lo * kWide; i < hi * kWide; ++i)
    Elements(b[0])[i] = 3 * Elements(b[0])[i] + Elements(b[1])[i] + 1;
}
// The last of b[1] becomes the sum of all.
void Sum(void* const* b, const int64_t*, int64_t, int64_t, void*) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < kElements; ++i) sum += Elements(b[1])[i];
  Elements(b[1])[kElements - 1] = sum;
}
void Count(void* const* b, const int64_t*, int64_t, int64_t, void*) { ++*Elements(b[0]); }
// b[1] = b[0] < dims[0].
void IsLess(void* const* b, const int64_t* dims, int64_t, int64_t, void*) {
  *static_cast<uint8_t*>(b[1]) = *Elements(b[0]) < dims[0] ? 1 : 0;
}
enum Function { kStencil, kAddTo, kSum, kCount, kIsLess };
const std::vector<program::StageFunction> kFunctions{Stencil, AddTo, Sum, Count, IsLess};

// Tasks use their own elements, so many around them, and all that so many further on.
TaskRanges Near(int buffer, bool is_written, int64_t around = 0, int64_t shift = 0) {
  TaskRanges ranges{buffer, is_written, {}};
  for (int64_t t = 0; t < kTasks; ++t) {
    const int64_t lo = 4 * (t * kWide - around + shift),
                  hi = 4 * ((t + 1) * kWide + around + shift);
    ranges.bounds.push_back(std::clamp<int64_t>(lo, 0, kBytes));
    ranges.bounds.push_back(std::clamp<int64_t>(hi, 0, kBytes));
  }
  return ranges;
}

program::Stage StencilStage(int64_t reach, bool is_periodic) {
  program::Stage stage{kStencil, kTasks, kShort};
  stage.ranges = {Near(1, true), Near(0, false, reach)};
  if (is_periodic) {
    stage.ranges.push_back(Near(0, false, reach, kElements));
    stage.ranges.push_back(Near(0, false, reach, -kElements));
  }
  return stage;
}
program::Step Launch(program::Stage stage, std::vector<Slice> buffers,
                     std::vector<int64_t> dims = {}) {
  program::Launch launch;
  launch.name = "launch";
  for (const Slice& s : buffers) launch.cost.bytes_read += s.size;
  launch.buffers = std::move(buffers);
  launch.dims = std::move(dims);
  launch.stages = {std::move(stage)};
  return {launch};
}

enum class Kind {
  kExchange,  // n = stencil(s), whose storage is exchanged
  kLaunches,  // n = stencil(s); s = 3 s + n + 1, where it is
  kStages,    // the same in one launch
  kSum,       // between them, the last of n becomes the sum of all
};

struct Case {
  Kind kind = Kind::kExchange;
  int64_t turns = 40, reach = 3;
  bool is_periodic = false;
  bool is_twice = false;  // in a loop of two turns, whose storage is exchanged, too
};

// while (count < turns) { ... ++count; }; the results are the array and the count.
program::Program MakeProgram(const Case& c) {
  ProgramBuilder b;
  const Shape array(ElementType::U32, {kElements}), scalar(ElementType::U32);
  std::vector<uint32_t> first(kElements);
  for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<uint32_t>(i * i);
  const Slice x = b.Constant(Literal::R1<uint32_t>(first)),
              zero = b.Constant(Literal::R0<uint32_t>(0)), y = b.Result(array),
              z = b.Result(scalar), s = b.Temp(kBytes), n = b.Temp(kBytes), count = b.Temp(4),
              outer_count = b.Temp(4), predicate = b.Temp(1), other = b.Temp(1);
  program::While loop;
  loop.turns = c.turns;
  loop.predicate = predicate;
  loop.condition = {Launch({kIsLess}, {count, predicate}, {c.turns})};
  const std::vector<int64_t> dims{c.reach, c.is_periodic ? 1 : 0};
  const program::Stage stencil = StencilStage(c.reach, c.is_periodic);
  program::Stage add{kAddTo, kTasks, kShort};
  add.ranges = {Near(0, true), Near(0, false), Near(1, false)};
  program::Stage sum{kSum, 1, 1000};
  sum.ranges = {{1, true, {kBytes - 4, kBytes}}, {1, false, {0, kBytes}}};
  loop.body = {Launch(stencil, {s, n}, dims)};
  if (c.kind == Kind::kExchange) loop.body.push_back({program::Copy{n, s, /*exchange=*/true}});
  if (c.kind == Kind::kSum) loop.body.push_back(Launch(sum, {s, n}));
  if (c.kind == Kind::kSum || c.kind == Kind::kLaunches) loop.body.push_back(Launch(add, {s, n}));
  if (c.kind == Kind::kStages) std::get<program::Launch>(loop.body[0].op).stages.push_back(add);
  program::Stage counter{kCount, 1, 100};
  counter.ranges = {{0, true, {0, 4}}, {0, false, {0, 4}}};
  loop.body.push_back(Launch(counter, {count}));
  b.Add({program::Copy{x, s}});
  b.Add({program::Copy{zero, count}});
  if (c.is_twice) {
    b.Add({program::Copy{zero, outer_count}});
    program::While outer;
    outer.turns = 2;
    outer.predicate = other;
    outer.condition = {Launch({kIsLess}, {outer_count, other}, {2})};
    outer.body = {{program::Copy{zero, count}}, {loop}, Launch({kCount}, {outer_count})};
    b.Add({outer});
  } else {
    b.Add({loop});
  }
  b.Add({program::Copy{s, y}});
  b.Add({program::Copy{count, z}});
  return b.Build(kFunctions.size());
}

// What turns one by one leave.
std::pair<std::vector<uint32_t>, uint32_t> Expected(const Case& c) {
  std::vector<uint32_t> s(kElements), n(kElements);
  for (size_t i = 0; i < s.size(); ++i) s[i] = static_cast<uint32_t>(i * i);
  void* buffers[2] = {s.data(), n.data()};
  const int64_t dims[2] = {c.reach, c.is_periodic ? 1 : 0};
  for (int64_t turn = 0; turn < c.turns * (c.is_twice ? 2 : 1); ++turn) {
    Stencil(buffers, dims, 0, kTasks, nullptr);
    if (c.kind == Kind::kSum) Sum(buffers, dims, 0, 1, nullptr);
    if (c.kind == Kind::kExchange) {
      std::swap(buffers[0], buffers[1]);
    } else {
      AddTo(buffers, dims, 0, kTasks, nullptr);
    }
  }
  const uint32_t* last = Elements(buffers[0]);
  return {{last, last + kElements}, static_cast<uint32_t>(c.turns)};
}

std::vector<TurnTiles> TilesOf(const program::Program& p, int threads, int64_t l2_bytes) {
  const absl::StatusOr<FlatProgram> flat = Flatten(p, "Host", {});
  REQUIRE(flat.ok());
  StagePlan plan;
  for (const FlatStage& stage : flat->stages) {
    PlannedStage planned;
    planned.tasks = stage.tasks;
    planned.threads = stage.tasks > 1 ? threads : 1;
    plan.stages.push_back(planned);
  }
  return TileTurns(p, *flat, plan, threads, l2_bytes);
}

std::vector<uint32_t> Read(const DeviceBuffer& b) {
  REQUIRE(b.ready().Wait().ok());
  const StorageRef s = *b.Hold();
  const uint32_t* p = Elements(s->data());
  return {p, p + b.shape().element_count()};
}

void CheckRun(const Case& c, int threads) {
  const std::shared_ptr<Workers> workers = MakePoolWorkers(threads);
  const auto pool = std::make_shared<HostMemoryPool>(0, int64_t{1} << 30);
  auto device = MakeCpuDevice(std::make_shared<fake::FakeLoader>(
                                  std::vector<std::vector<program::StageFunction>>{kFunctions}),
                              pool, workers);
  program::Program p = MakeProgram(c);
  auto steps = device->Prepare(p, {});
  REQUIRE(steps.ok());
  std::vector<Executable::Prepared> prepared(1);
  prepared[0] = {std::move(device), *std::move(steps)};
  int owner = 0;
  auto executable = Executable::Make(&owner, std::move(p), std::move(prepared));
  REQUIRE(executable.ok());
  const auto [array, count] = Expected(c);
  for (int run = 0; run < 3; ++run) {
    auto results = (*executable)->Execute({}, {});
    REQUIRE(results.ok());
    CHECK(Read(*(*results)[0]) == array);
    CHECK(Read(*(*results)[1])[0] == count);
  }
}

TEST_CASE("turns of stencils run several at a time, and give what they give one by one") {
  Case c;
  c.kind = GENERATE(Kind::kExchange, Kind::kLaunches, Kind::kStages);
  c.turns = GENERATE(4, 40, 41);
  c.reach = GENERATE(0, 3, 20);
  c.is_periodic = GENERATE(false, true);
  c.is_twice = GENERATE(false, true);
  const int threads = GENERATE(1, 2, 5);
  CAPTURE(static_cast<int>(c.kind), c.turns, c.reach, c.is_periodic, c.is_twice, threads);
  CheckRun(c, threads);
}

TEST_CASE("where all of a turn is needed for the next one, turns run one by one") {
  Case c;
  c.kind = Kind::kSum;
  CHECK(TilesOf(MakeProgram(c), 2, 1 << 20).empty());
  CheckRun(c, 2);
}

TEST_CASE("parts of a phase do not wait for each other") {
  Case c;
  c.kind = GENERATE(Kind::kExchange, Kind::kLaunches, Kind::kStages);
  c.is_periodic = GENERATE(false, true);
  c.reach = GENERATE(3, 8);
  CAPTURE(static_cast<int>(c.kind), c.reach, c.is_periodic);
  const program::Program p = MakeProgram(c);
  const std::vector<TurnTiles> tiles = TilesOf(p, 2, 1 << 20);
  REQUIRE(tiles.size() == 1);
  const TurnTiles& t = tiles[0];
  CHECK(t.period == (c.kind == Kind::kExchange ? 2 : 1));
  CHECK(t.turns % t.period == 0);
  CHECK(t.blocks >= 1);
  CHECK(t.blocks * t.turns <= c.turns);
  CHECK(t.phases[0].size() > 2);
  c.turns = t.blocks * t.turns;
  const auto [array, count] = Expected(c);
  const absl::StatusOr<FlatProgram> flat = Flatten(p, "Host", {});
  REQUIRE(flat.ok());
  for (const bool is_reversed : {false, true}) {
    std::vector<void*> pointers(static_cast<size_t>(flat->pointers));
    std::vector<uint32_t> temp(static_cast<size_t>(p.temp_bytes) / 4 + 16);
    for (size_t a = 0; a < flat->by_allocation.size(); ++a) {
      if (p.allocations[a].residence != program::Residence::kTemp) continue;
      for (const FlatProgram::Pointer& q : flat->by_allocation[a])
        pointers[static_cast<size_t>(q.entry)] =
            reinterpret_cast<char*>(temp.data()) + p.allocations[a].offset + q.offset;
    }
    for (size_t i = 0; i < array.size(); ++i) temp[i] = static_cast<uint32_t>(i * i);
    for (int64_t block = 0; block < t.blocks; ++block) {
      for (const std::vector<size_t>& first : t.phases) {
        std::vector<size_t> parts(first.size() - 1);
        for (size_t k = 0; k < parts.size(); ++k) parts[k] = k;
        if (is_reversed) std::reverse(parts.begin(), parts.end());
        for (size_t part : parts) {
          for (size_t k = first[part]; k < first[part + 1]; ++k) {
            const TurnTiles::Call& call = t.calls[k];
            const FlatStep& i = flat->code[static_cast<size_t>(call.instruction)];
            const FlatStage& stage = flat->stages[static_cast<size_t>(call.stage)];
            kFunctions[static_cast<size_t>(stage.function)](
                pointers.data() + i.pointer, flat->dims.data() + i.dims, call.lo, call.hi, nullptr);
          }
        }
      }
    }
    // The first array is the first in memory.
    CHECK(std::vector<uint32_t>(temp.begin(), temp.begin() + kElements) == array);
  }
}

TEST_CASE("loops are left alone that a turn at a time is no slower for") {
  Case c;
  c.reach = kElements / 4;  // nothing can run ahead
  CHECK(TilesOf(MakeProgram(c), 2, 1 << 20).empty());
  // Of which the compiler has not said everything.
  c.reach = 3;
  program::Program p = MakeProgram(c);
  CHECK(TilesOf(p, 2, 1 << 20).size() == 1);
  auto& loop = std::get<program::While>(p.steps[2].op);
  std::get<program::Launch>(loop.body[0].op).stages[0].ranges.clear();
  CHECK(TilesOf(p, 2, 1 << 20).empty());
  p = MakeProgram(c);
  std::get<program::While>(p.steps[2].op).turns = -1;
  CHECK(TilesOf(p, 2, 1 << 20).empty());
}

}  // namespace
}  // namespace sinter::runtime::cpu
