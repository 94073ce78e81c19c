#include "runtime/cpu/library.h"

#include "runtime/cpu/sort.h"

namespace sinter::runtime::cpu {
namespace {

constexpr LibraryKernel kKernels[] = {
    {"sort", Sort, CheckSort},
};

}  // namespace

const LibraryKernel* FindLibraryKernel(std::string_view name) {
  for (const LibraryKernel& k : kKernels) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

}  // namespace sinter::runtime::cpu
