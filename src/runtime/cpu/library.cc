#include "runtime/cpu/library.h"

#include "runtime/cpu/cholesky.h"
#include "runtime/cpu/fft.h"
#include "runtime/cpu/lu.h"
#include "runtime/cpu/reflections.h"
#include "runtime/cpu/sort.h"
#include "runtime/cpu/top_k.h"
#include "runtime/cpu/triangular_solve.h"

namespace sinter::runtime::cpu {
namespace {

constexpr LibraryKernel kKernels[] = {
    {"cholesky", Cholesky, CheckCholesky},
    {"fft", Fft, CheckFft, PrepareFft},
    {"householder-product", HouseholderProduct, CheckHouseholderProduct},
    {"lu", Lu, CheckLu},
    {"qr", Qr, CheckQr},
    {"sort", Sort, CheckSort},
    {"top-k", TopK, CheckTopK},
    {"triangular-solve", TriangularSolve, CheckTriangularSolve},
};

}  // namespace

const LibraryKernel* FindLibraryKernel(std::string_view name) {
  for (const LibraryKernel& k : kKernels) {
    if (k.name == name) return &k;
  }
  return nullptr;
}

}  // namespace sinter::runtime::cpu
