#include "codegen/emit/parts.h"

namespace sinter::emit {

kernel::Values Flatten(const std::vector<Parts>& parts) {
  kernel::Values v;
  for (const Parts& p : parts) {
    v.push_back(p.re);
    if (p.complex()) v.push_back(p.im);
  }
  return v;
}

std::vector<Parts> Unflatten(const kernel::Values& v, const std::vector<ElementType>& types) {
  std::vector<Parts> parts;
  size_t k = 0;
  for (ElementType t : types) {
    Parts p{v[k++]};
    if (IsComplex(t)) p.im = v[k++];
    parts.push_back(p);
  }
  return parts;
}

}  // namespace sinter::emit
