#include <catch2/catch.hpp>

#include <atomic>
#include <string>
#include <vector>

#include "base/status.h"
#include "sinter/custom_call.h"
#include "sinter/import.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

// How often it has been called; gives the sum of its operand, to 4 elements.
std::atomic<int> calls{0};
absl::Status SumToFour(CustomCallBuffer<const float> x, CustomCallBuffer<float> y) {
  ++calls;
  float sum = 0;
  for (int64_t i = 0; i < x.size(); ++i) sum += x.data[i];
  for (int64_t i = 0; i < y.size(); ++i) y.data[i] = sum + static_cast<float>(i);
  return absl::OkStatus();
}
SINTER_REGISTER_TYPED_CUSTOM_CALL("test.sum_to_four", "Host",
                                  BindCustomCall().Operand<float>().Result<float>().To(SumToFour));

std::string ProgramOf(std::string_view sharding) {
  return Format(R"(HloModule m, num_partitions=4
ENTRY e {{
  x = f32[8] parameter(0), sharding={{devices=[4]<=[4]}}
  y = f32[8] add(x, x), sharding={{devices=[4]<=[4]}}
  c = f32[4] custom-call(y), custom_call_target="test.sum_to_four", custom_call_has_side_effect=true, api_version=API_VERSION_TYPED_FFI, sharding={}
  ROOT z = f32[4] negate(c), sharding={{replicated}}
}})",
                sharding);
}

absl::StatusOr<std::vector<Literal>> RunOnFour(std::string_view sharding) {
  CpuOptions devices;
  devices.devices = 4;
  auto client = MakeClient(devices);
  ASSIGN_OR_RETURN(const Computation program, LoadHlo(ProgramOf(sharding)));
  CompileOptions options;
  options.partitions = 4;
  ASSIGN_OR_RETURN(Executable executable, client->Compile(program, options));
  std::vector<std::vector<Buffer>> arguments;
  for (int n = 0; n < 4; ++n) {
    const auto first = static_cast<float>(2 * n);
    ASSIGN_OR_RETURN(Buffer b,
                     client->BufferFromLiteral(Literal::R1<float>({first, first + 1}), n));
    arguments.emplace_back().push_back(std::move(b));
  }
  ASSIGN_OR_RETURN(auto results, executable.ExecuteOnDevices(arguments));
  std::vector<Literal> all;
  for (const auto& own : results) {
    ASSIGN_OR_RETURN(Literal x, own[0].ToLiteral());
    all.push_back(std::move(x));
  }
  return all;
}

TEST_CASE("a call that is stated to be one partition's is made once, and all have its results") {
  for (const std::string_view sharding : {"{maximal device=0}", "{maximal device=3}"}) {
    calls = 0;
    const auto results = RunOnFour(sharding);
    CAPTURE(MessageOf(results.status()));
    REQUIRE(results.ok());
    CHECK(calls == 1);
    REQUIRE(results->size() == 4);
    for (const Literal& x : *results) CHECK(x == Literal::R1<float>({-56, -57, -58, -59}));
  }
}

TEST_CASE("other calls are made by each partition") {
  calls = 0;
  const auto results = RunOnFour("{replicated}");
  CAPTURE(MessageOf(results.status()));
  REQUIRE(results.ok());
  CHECK(calls == 4);
  for (const Literal& x : *results) CHECK(x == Literal::R1<float>({-56, -57, -58, -59}));
}

TEST_CASE("the partition that makes a call must be one of the program's") {
  CHECK(MessageOf(RunOnFour("{maximal device=4}").status()) ==
        "partition: sharding {maximal device=4}: the devices are not the program's 4 partitions");
}

}  // namespace
}  // namespace sinter
