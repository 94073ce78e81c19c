// What JAX lowers for several devices (make_programs.py): partitions give together what one device
// gives, and move no more than the same program written by hand.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "frontend/stablehlo_text/stablehlo.h"
#include "fuzz/random.h"
#include "partitioned.h"
#include "passes/partition/traffic.h"
#include "pipelines/pipeline.h"

namespace sinter::partition_testing {
namespace {

const std::filesystem::path kFolder = SINTER_PARTITION_PROGRAMS;

std::unique_ptr<HloModule> Read(const std::string& name) {
  std::ifstream in(kFolder / (name + ".mlir"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto module = ParseStablehlo(text, name + ".mlir");
  INFO(name << ": " << MessageOf(module.status()));
  REQUIRE(module.ok());
  return std::move(module).value();
}

// Numbers from -1 to 1; integers index rows.
std::vector<Literal> Arguments(const HloModule& module) {
  fuzz::Random random(1);
  std::vector<Literal> out;
  for (const HloInstruction* p : module.entry()->parameters()) {
    Literal x(p->shape());
    for (int64_t k = 0; k < x.element_count(); ++k) {
      const auto at = static_cast<size_t>(k);
      if (p->shape().element_type() == ElementType::F32) {
        x.data<float>()[at] = static_cast<float>(random.Uniform() * 2 - 1);
      } else {
        x.data<int32_t>()[at] = static_cast<int32_t>(random.Below(24));
      }
    }
    out.push_back(std::move(x));
  }
  return out;
}

// What one device gives for the program of that name.
Literal OnOne(const std::string& name) {
  auto module = Read(name);
  module->set_partition_count(1);
  auto result = Evaluate(*module, Arguments(*module));
  INFO(name << ": " << MessageOf(result.status()));
  REQUIRE(result.ok());
  return std::move(result).value();
}

// Sums are of another order.
constexpr Tolerance kSums{.max_ulp = 0, .rtol = 1e-4, .atol = 1e-5};

Comparison Run(const std::string& name, const Literal& expected) {
  auto module = Read(name);
  Comparison c = Compare(*module, Arguments(*module), kSums, expected);
  INFO(name << ": " << MessageOf(c.status) << "\n"
            << (c.partitioned != nullptr ? Print(*c.partitioned) : ""));
  CHECK(c.status.ok());
  return c;
}

int64_t Bytes(const HloModule& module) {
  int64_t bytes = 0;
  for (const CollectiveTraffic& t : TrafficOf(module)) bytes += t.bytes;
  return bytes;
}

std::string Moved(const HloModule& module) {
  std::string out;
  for (const CollectiveTraffic& t : TrafficOf(module)) out += ToText(t) + "\n";
  return out;
}

int Count(const HloModule& module, HloOpcode op) {
  int count = 0;
  for (const CollectiveTraffic& t : TrafficOf(module)) count += t.instruction->op() == op;
  return count;
}

TEST_CASE("every program of JAX gives what it gives on one device") {
  size_t programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::string name = entry.path().stem();
    if (name.find("manual") != std::string::npos) continue;
    ++programs;
    Run(name, OnOne(name));
  }
  CHECK(programs > 8);
}

TEST_CASE("a layer of BERT moves what its form by hand moves") {
  for (const std::string name : {"bert_batch", "bert_heads", "bert_batch_and_heads"}) {
    const Literal expected = OnOne(name);
    const Comparison whole = Run(name, expected), manual = Run(name + "_manual", expected);
    REQUIRE(whole.status.ok());
    REQUIRE(manual.status.ok());
    INFO(name << "\n" << Moved(*whole.partitioned) << "\n" << Moved(*manual.partitioned));
    CHECK(Bytes(*whole.partitioned) == Bytes(*manual.partitioned));
    CHECK(TrafficOf(*whole.partitioned).size() == TrafficOf(*manual.partitioned).size());
    if (name == "bert_batch") CHECK(Bytes(*whole.partitioned) == 0);
    if (name != "bert_batch") CHECK(Count(*whole.partitioned, HloOpcode::AllReduce) == 2);
  }
}

TEST_CASE("a training step by batch reduces one gradient a weight") {
  const Comparison c = Run("mlp_step_batch", OnOne("mlp_step_batch"));
  REQUIRE(c.status.ok());
  const auto traffic = TrafficOf(*c.partitioned);
  INFO(Moved(*c.partitioned));
  CHECK(traffic.size() == 5);  // and the loss
  CHECK(Count(*c.partitioned, HloOpcode::AllReduce) == 5);
}

TEST_CASE("a custom call is cut along the batch that its sharding rule says") {
  const Comparison c = Run("custom_call_batch", OnOne("custom_call_batch"));
  REQUIRE(c.status.ok());
  INFO(Moved(*c.partitioned));
  CHECK(TrafficOf(*c.partitioned).empty());
}

TEST_CASE("rows of a table are looked up where they are") {
  const Comparison c = Run("embedding_rows", OnOne("embedding_rows"));
  REQUIRE(c.status.ok());
  // No partition has the whole table.
  INFO(Moved(*c.partitioned) << Print(*c.partitioned));
  for (const auto& computation : c.partitioned->computations()) {
    for (const auto& i : computation->instructions())
      CHECK(i->shape() != Shape(ElementType::F32, {24, 16}));
  }
}

TEST_CASE("an axis that a manual part does not have cuts it all the same") {
  auto module = Read("manual_axis");
  const std::vector<Literal> arguments = Arguments(*module);
  // sin(x) w + 1
  const Shape shape(ElementType::F32, {8, 32});
  Literal expected(shape);
  for (int64_t i = 0; i < 8; ++i) {
    for (int64_t j = 0; j < 32; ++j) {
      double sum = 1;
      for (int64_t k = 0; k < 16; ++k) {
        sum += std::sin(static_cast<double>(arguments[0].Get<float>({i, k}))) *
               static_cast<double>(arguments[1].Get<float>({k, j}));
      }
      expected.Set<float>({i, j}, static_cast<float>(sum));
    }
  }
  const Comparison c = Compare(*module, arguments, kSums, expected);
  INFO(MessageOf(c.status) << (c.partitioned ? Print(*c.partitioned) : ""));
  CHECK(c.status.ok());
  // The rows are cut by the other axis throughout: nothing but the sum is exchanged.
  CHECK(TrafficOf(*c.partitioned).size() == 1);
}

}  // namespace
}  // namespace sinter::partition_testing
