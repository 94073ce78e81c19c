#include "sinter/profile.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/executable.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

// Limits that nobody need measure.
ProfileOptions Options() {
  ProfileOptions options;
  options.bytes_per_second = 1e9;
  options.operations_per_second = 1e9;
  return options;
}

// Of a computation, on zeros.
absl::StatusOr<Profile> ProfileOf(const absl::StatusOr<Computation>& computation,
                                  const ProfileOptions& options = Options(), int threads = 2) {
  INFO(MessageOf(computation.status()));
  REQUIRE(computation.ok());
  auto client = MakeClient(threads);
  Executable executable = *client->Compile(*computation);
  std::vector<Buffer> arguments;
  for (const Shape& s : executable.flat_parameter_shapes())
    arguments.push_back(*client->BufferFromLiteral(Literal(s)));
  auto profile = executable.Profile(arguments, options);
  INFO(MessageOf(profile.status()));
  REQUIRE(profile.ok());
  return profile;
}

std::vector<Profile::Step> Kernels(const Profile& profile) {
  std::vector<Profile::Step> kernels;
  for (const Profile::Step& s : profile.steps) {
    if (s.kind == Profile::Kind::kKernel) kernels.push_back(s);
  }
  return kernels;
}

// What the only kernel of a computation does in one call.
Profile::Step OnlyKernel(const absl::StatusOr<Computation>& computation) {
  auto profile = ProfileOf(computation);
  INFO(profile->ToString());
  std::vector<Profile::Step> kernels = Kernels(*profile);
  REQUIRE(kernels.size() == 1);
  CHECK(kernels[0].calls == 1);
  CHECK(kernels[0].seconds > 0);
  return kernels[0];
}

Op SumAll(const Op& x) {
  return ReduceAll(x, 0, [](Op a, Op b) { return a + b; });
}

// x = sqrt(x + 1) + sum(x), `turns` times. The sum over all elements keeps the loop out of kernels.
absl::StatusOr<Computation> Loop(int32_t turns, int64_t n) {
  Builder b("loop");
  Op x = Parameter(&b, 0, F32Shape({n}), "x");
  Op state = While([&](Op i, Op) { return Lt(i, turns); },
                   [](Op i, Op y) {
                     return std::vector{i + 1, Sqrt(y + 1) + SumAll(y)};
                   },
                   {ConstantR0<int32_t>(&b, 0), x});
  return b.Build(GetTupleElement(state, 1));
}

TEST_CASE("an elementwise kernel reads and writes each element once") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1000}), "x");
  Profile::Step k = OnlyKernel(b.Build(x + 1));
  CHECK(k.bytes_read == 4000);
  CHECK(k.bytes_written == 4000);
  CHECK(k.operations == 1000);
  // Both limits are 1e9 a second: 8 us for the bytes.
  CHECK(k.share_of_limit == Approx(8e-6 / k.seconds));
}

// Slices that begin elsewhere than at a multiple of 16 bytes are no views, but part of the kernel.
TEST_CASE("what a slice leaves out is not read, overlaps are read once") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1000}), "x");
  Profile::Step k = OnlyKernel(b.Build(Slice(x, {1}, {901}, {1}) * Slice(x, {51}, {951}, {1})));
  CHECK(k.bytes_read == 3800);
  CHECK(k.bytes_written == 3600);
  CHECK(k.operations == 900);
}

TEST_CASE("two slices apart are both read") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1000}), "x");
  Profile::Step k = OnlyKernel(b.Build(Slice(x, {1}, {101}, {1}) * Slice(x, {800}, {1000}, {2})));
  CHECK(k.bytes_read == 800);
}

TEST_CASE("a product counts multiply-adds as two") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({64, 96}), "x"), y = Parameter(&b, 1, F32Shape({96, 32}), "y");
  Profile::Step k = OnlyKernel(b.Build(Dot(x, y)));
  CHECK(k.bytes_read == 4 * (64 * 96 + 96 * 32));
  CHECK(k.bytes_written == 4 * 64 * 32);
  CHECK(k.operations == 2 * 64 * 96 * 32);
}

TEST_CASE("steps in a loop are counted by their calls, and belong to it") {
  ProfileOptions options = Options();
  options.runs = 3;
  options.event_limit = 10000;
  auto profile = ProfileOf(Loop(7, 3000), options);
  INFO(profile->ToString());
  const Profile::Step* loop = nullptr;
  for (const Profile::Step& s : profile->steps) {
    if (s.kind == Profile::Kind::kWhile) loop = &s;
  }
  REQUIRE(loop != nullptr);
  CHECK(profile->runs == 3);
  CHECK(loop->calls == 3);
  CHECK(loop->turns == 3 * 7);
  CHECK(loop->parent == -1);
  double inside = 0;
  int in_body = 0, in_condition = 0;
  for (const Profile::Step& s : profile->steps) {
    if (s.parent != loop->number) continue;
    inside += s.seconds;
    in_body += s.calls == 3 * 7;
    in_condition += s.calls == 3 * 8;
    CHECK((s.calls == 3 * 7 || s.calls == 3 * 8));
  }
  CHECK(in_body >= 2);
  CHECK(in_condition >= 1);
  CHECK(inside <= loop->seconds);
  // Loops come before what is in them only in the program: here the longest is first.
  for (size_t k = 1; k < profile->steps.size(); ++k)
    CHECK(profile->steps[k - 1].seconds >= profile->steps[k].seconds);
  double calls = 0;
  for (const Profile::Event& e : profile->events) {
    CHECK(e.begin <= e.end);
    if (e.step == loop->number) ++calls;
  }
  CHECK(calls == 3);
}

TEST_CASE("a loop that makes no turn, and loops in loops") {
  auto none = ProfileOf(Loop(0, 10));
  for (const Profile::Step& s : none->steps) {
    if (s.kind == Profile::Kind::kWhile) CHECK((s.calls == 1 && s.turns == 0));
  }
}

TEST_CASE("branches that are not taken have no calls") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({500}), "x");
  auto profile = ProfileOf(b.Build(Conditional(
      Gt(SumAll(x), 1), x, [](Op y) { return Sqrt(y) + 1; }, x,
      [](Op y) { return y + SumAll(y); })));
  INFO(profile->ToString());
  int64_t conditional = -1;
  for (const Profile::Step& s : profile->steps) {
    if (s.kind == Profile::Kind::kConditional) conditional = s.number;
  }
  REQUIRE(conditional >= 0);
  int taken = 0, left = 0;
  for (const Profile::Step& s : profile->steps) {
    if (s.parent != conditional || s.kind != Profile::Kind::kKernel) continue;
    taken += s.calls == 1;
    left += s.calls == 0;
  }
  CHECK(taken >= 1);
  CHECK(left == 1);
}

TEST_CASE("events are calls, stages, and what each thread ran of them") {
  auto profile_of = [](int64_t limit) {
    Builder b("t");
    ProfileOptions options = Options();
    options.event_limit = limit;
    return *ProfileOf(b.Build(Tanh(Exp(Parameter(&b, 0, F32Shape({1 << 20}), "x")))), options);
  };
  int calls = 0, stages = 0, parts = 0;
  for (const Profile::Event& e : profile_of(1000).events) {
    CHECK((e.thread == 0 || e.thread == 1));
    (e.stage < 0 ? calls : e.thread == 0 && stages == 0 ? stages : parts) += 1;
  }
  CHECK(calls == 1);
  CHECK(stages == 1);
  CHECK(parts >= 1);
  CHECK(profile_of(1).events.size() == 1);
}

TEST_CASE("arguments survive, donated or not") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1000}), "x");
  auto client = MakeClient(2);
  CompileOptions compile;
  compile.donated_parameters = {0};
  Executable e = *client->Compile(*b.Build(x + 1), compile);
  Buffer argument = *client->BufferFromLiteral(Literal(F32Shape({1000})));
  REQUIRE(e.Profile({argument}, Options()).ok());
  CHECK((*argument.ToLiteral()).data<float>()[5] == 0);
  CHECK(e.Execute({argument}).ok());
}

TEST_CASE("limits are measured when none are given") {
  Builder b("t");
  auto profile = ProfileOf(b.Build(Parameter(&b, 0, F32Shape({10}), "x") + 1), {});
  CHECK(profile->bytes_per_second > 1e8);
  CHECK(profile->operations_per_second > 1e8);
}

TEST_CASE("what cannot be profiled") {
  CHECK(absl::IsInvalidArgument(Executable().Profile({}).status()));
  Builder b("t");
  Computation computation = *b.Build(Parameter(&b, 0, F32Shape({10}), "x") + 1);
  auto client = MakeClient(2);
  Executable e = *client->Compile(computation);
  Buffer x = *client->BufferFromLiteral(Literal(F32Shape({10})));
  CHECK(absl::IsInvalidArgument(e.Profile({}).status()));
  ProfileOptions options;
  options.runs = 0;
  CHECK(absl::IsInvalidArgument(e.Profile({x}, options).status()));
  auto interpreter = *Client::Interpreter();
  auto interpreted = interpreter->Compile(computation);
  REQUIRE(interpreted.ok());
  Buffer y = *interpreter->BufferFromLiteral(Literal(F32Shape({10})));
  CHECK(absl::IsUnimplemented(interpreted->Profile({y}).status()));
}

}  // namespace
}  // namespace sinter
