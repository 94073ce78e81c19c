// What packed products read of the memory that their operands are copied to.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/plan.h"
#include "unit/region.h"

namespace sinter::emit {
namespace {

using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;
using kernel::Space;

// Finds floating-point numbers that are read of a kernel's own memory before anything is written
// there: whatever becomes of what is computed of them, it is slow where they are denormal. Of what
// a task has for itself, its own writes count.
class GarbageFinder : public kernel::Observer {
 public:
  explicit GarbageFinder(const Kernel& k) : k_(k), written_(k.buffers.size()) {}
  const std::string& found() const { return found_; }
  int64_t reads() const { return reads_; }

  void BeginTask() override {
    for (size_t b = 0; b < written_.size(); ++b)
      if (k_.buffers[b].space == Space::kTask) written_[b].clear();
  }
  void Touch(const Op& op, int row, int col, int64_t element) override {
    const auto buffer = static_cast<size_t>(op.buffer);
    const Space space = k_.buffers[buffer].space;
    if ((space != Space::kTask && space != Space::kScratch) || !IsFloat(k_.buffers[buffer].elem))
      return;
    if (op.code == OpCode::kStore) {
      written_[buffer].insert(element);
      return;
    }
    ++reads_;
    if (!written_[buffer].contains(element) && found_.empty()) {
      found_ = Print(k_, op) + ": row " + std::to_string(row) + ", column " + std::to_string(col) +
               ", element " + std::to_string(element);
    }
  }

 private:
  const Kernel& k_;
  std::vector<absl::flat_hash_set<int64_t>> written_;
  std::string found_;
  int64_t reads_ = 0;
};

// The first read of garbage, or "". `is_packed`: the kernel is one that copies operands.
std::string Garbage(const std::string& region, const CpuMachine& machine, bool is_packed) {
  auto m = Region(region);
  auto plan = plan::MakePlan(*m->entry(), machine);
  REQUIRE(plan.ok());
  auto k = EmitKernel(*m->entry(), *plan, "k");
  REQUIRE(k.ok());
  REQUIRE(kernel::Verify(*k).ToString() == "OK");
  std::vector<std::vector<double>> memory;
  std::vector<void*> buffers;
  for (const kernel::Buffer& b : k->buffers) {
    if (b.space == Space::kTask || b.space == Space::kConstant) continue;
    memory.emplace_back(1 << 17);
    buffers.push_back(memory.back().data());
  }
  GarbageFinder finder(*k);
  CHECK(kernel::Interpret(*k, buffers, {}, &finder).ToString() == "OK");
  CHECK((finder.reads() > 0 || !is_packed));
  return finder.found();
}

TEST_CASE("register tiles multiply what was packed, or zeros") {
  CpuMachine machine;
  machine.vector_bytes = GENERATE(32, 64);
  machine.vector_registers = machine.vector_bytes / 2;
  const auto [rows, columns, depth] = GENERATE(table<int, int, int>(
      {{28, 28, 201}, {61, 45, 40}, {13, 100, 130}, {130, 17, 70}, {50, 64, 97}, {97, 45, 129}}));
  const std::string type = GENERATE("f32", "f64");
  const bool a_turned = GENERATE(false, true), b_turned = GENERATE(false, true);
  auto shape = [&](int a, int b) {
    return type + "[" + std::to_string(a) + "," + std::to_string(b) + "]";
  };
  const std::string a = a_turned ? shape(depth, rows) : shape(rows, depth),
                    b = b_turned ? shape(columns, depth) : shape(depth, columns);
  const std::string region =
      "a = " + a + " parameter(0)\nb = " + b + " parameter(1)\nc = " + a + " negate(a)\nd = " + b +
      " negate(b)\nROOT r = " + shape(rows, columns) + " dot(c, d), lhs_contracting_dims={" +
      (a_turned ? "0" : "1") + "}, rhs_contracting_dims={" + (b_turned ? "1" : "0") + "}";
  INFO(region << " vectors of " << machine.vector_bytes);
  CHECK(Garbage(region, machine, b_turned) == "");
}

}  // namespace
}  // namespace sinter::emit
