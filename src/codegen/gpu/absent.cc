// Instead of the other files of this room, but for target.cc, in a build without SINTER_CUDA.
#include "base/status.h"
#include "codegen/gpu/compiler.h"

namespace sinter::gpu {
namespace {

absl::Status Absent() {
  return Unimplemented("this build of sinter generates no code for GPUs (SINTER_CUDA is OFF)");
}

}  // namespace

struct Compiler::Pool {};

Compiler::Compiler(Target target) : target_(std::move(target)), pool_(std::make_unique<Pool>()) {}
Compiler::~Compiler() = default;

absl::StatusOr<std::unique_ptr<Compiler>> Compiler::Create(Target) { return Absent(); }

absl::StatusOr<Compiled> Compiler::Compile(absl::Span<const kernel::Kernel* const>,
                                           std::string_view, Artifacts*) {
  return Absent();
}

}  // namespace sinter::gpu
