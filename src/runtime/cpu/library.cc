#include "runtime/cpu/library.h"

#include "runtime/cpu/cholesky.h"
#include "runtime/cpu/fft.h"
#include "runtime/cpu/sort.h"
#include "runtime/cpu/top_k.h"

namespace sinter::runtime::cpu {
namespace {

constexpr LibraryKernel kKernels[] = {
    {"cholesky", Cholesky, CheckCholesky},
    {"fft", Fft, CheckFft, PrepareFft},
    {"sort", Sort, CheckSort},
    {"top-k", TopK, CheckTopK},
};

}  // namespace

const LibraryKernel* FindLibraryKernel(std::string_view name) {
  for (const LibraryKernel& k : kKernels) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

}  // namespace sinter::runtime::cpu
