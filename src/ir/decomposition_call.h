// The custom calls by which XLA names decompositions of matrices on every device, of batches in the
// last two dimensions:
//
//   (f32[..,m,n], f32[..,k]) custom-call(a), custom_call_target="Qr"
//     k = min(m, n); R above and on the diagonal; below it the reflections I - tau v v^H, v with 1
//     on the diagonal, whose product is Q
//   f32[..,m,n] custom-call(a, tau), custom_call_target="ProductOfElementaryHouseholderReflectors"
//     the first n columns of that product
//   (f32[..,m,n], s32[..,k], s32[..,m]) custom-call(a), custom_call_target="LuDecomposition"
//     L below the diagonal and U; the rows exchanged, from 0; the rows of a in the order of L U
//   (f32[..,n,n], f32[..,n]) custom-call(a), custom_call_target="Eigh",
//       backend_config="1,1,100,1e-6"
//     eigenvectors and eigenvalues, which are real; backend_config: whether the lower triangle is
//     read, whether eigenvalues are sorted (they always are), the limit of sweeps, and the norm of
//     the elements off the diagonal, relative to the matrix's, at which sweeps end
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

struct DecompositionCall {
  enum class Kind { kQr, kHouseholderProduct, kLu, kEigh };
  Kind kind = Kind::kQr;
  // Of kEigh.
  bool lower = true;
  int64_t max_sweeps = 100;
  double tolerance = 1e-6;
};

bool IsDecompositionTarget(std::string_view target);
// Nothing for other instructions. InvalidArgument where operands, results or the backend_config are
// not those above.
absl::StatusOr<std::optional<DecompositionCall>> ReadDecompositionCall(const HloInstruction& i);

}  // namespace sinter
