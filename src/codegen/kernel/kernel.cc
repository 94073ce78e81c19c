#include "codegen/kernel/kernel.h"

#include <iterator>

namespace sinter::kernel {
namespace {

struct OpInfo {
  std::string_view name;
  int arity;
};
constexpr OpInfo kOps[] = {
#define SINTER_KERNEL_OP_ROW(id, text, arity) {text, arity},
    SINTER_KERNEL_OPS(SINTER_KERNEL_OP_ROW)
#undef SINTER_KERNEL_OP_ROW
};

}  // namespace

std::string_view Name(OpCode code) { return kOps[static_cast<size_t>(code)].name; }

int PointwiseArity(OpCode code) { return kOps[static_cast<size_t>(code)].arity; }

}  // namespace sinter::kernel
