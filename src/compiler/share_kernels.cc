#include "compiler/share_kernels.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "codegen/kernel/parameters.h"
#include "target/tuning.h"

namespace sinter::compiler {
namespace {

using kernel::ConstantParameter;
using kernel::FreeConstant;
using kernel::Kernel;

struct Member {
  size_t kernel = 0;
  std::vector<FreeConstant> constants;
};

// The kernel of all members, and what each passes it.
struct Shared {
  Kernel kernel;
  std::vector<std::vector<int64_t>> dims;  // by member
};

// Of all members for one constant.
std::vector<FreeConstant> Column(const std::vector<Member>& members, size_t n) {
  std::vector<FreeConstant> column;
  for (const Member& m : members) column.push_back(m.constants[n]);
  return column;
}

ConstantParameter ParameterFor(const std::vector<FreeConstant>& column) {
  ConstantParameter p;
  p.elem = column[0].elem;
  if (p.elem != kernel::kIndexType.elem) return p;
  int64_t multiple = 0;
  p.lo = INT64_MAX;
  p.hi = INT64_MIN;
  for (const FreeConstant& c : column) {
    const auto x = static_cast<int64_t>(c.bits);
    p.lo = std::min(p.lo, x);
    p.hi = std::max(p.hi, x);
    if (x != INT64_MIN) multiple = std::gcd(multiple, x);
  }
  p.multiple = std::max<int64_t>(multiple, 1);
  return p;
}

// Constants that are the same in all members stay; of those that differ in the same way, one
// parameter takes the place.
Shared Merge(const std::vector<Kernel>& kernels, const std::vector<Member>& members) {
  std::vector<int> parameter_of;
  std::vector<ConstantParameter> parameters;
  std::map<std::vector<uint64_t>, int> known;
  Shared out;
  out.dims.resize(members.size());
  for (size_t n = 0; n < members[0].constants.size(); ++n) {
    const std::vector<FreeConstant> column = Column(members, n);
    if (std::count(column.begin(), column.end(), column[0]) ==
        static_cast<std::ptrdiff_t>(column.size())) {
      parameter_of.push_back(-1);
      continue;
    }
    std::vector<uint64_t> key{static_cast<uint64_t>(column[0].elem)};
    for (const FreeConstant& c : column) key.push_back(c.bits);
    const auto [at, is_new] =
        known.try_emplace(std::move(key), static_cast<int>(parameters.size()));
    parameter_of.push_back(at->second);
    if (!is_new) continue;
    parameters.push_back(ParameterFor(column));
    for (size_t m = 0; m < members.size(); ++m)
      out.dims[m].push_back(kernel::ArgumentFor(column[m]));
  }
  out.kernel = kernel::WithParameters(kernels[members[0].kernel], parameter_of, parameters);
  return out;
}

}  // namespace

std::vector<SharedCode> ShareKernels(std::vector<Kernel>& kernels,
                                     const std::vector<bool>& may_share) {
  std::vector<SharedCode> codes(kernels.size());
  std::map<kernel::KernelHash, std::vector<Member>> by_form;
  for (size_t k = 0; k < kernels.size(); ++k) {
    codes[k].kernel = k;
    if (!may_share[k] || !kernels[k].params.empty()) continue;
    kernel::KernelForm form = kernel::FormOf(kernels[k]);
    by_form[form.hash].push_back({k, std::move(form.constants)});
  }
  // In the order of the kernels, so that programs compile to the same code in every process.
  std::vector<const std::vector<Member>*> groups;
  for (const auto& [hash, members] : by_form) {
    if (static_cast<int>(members.size()) >= tuning::kSharedKernels) groups.push_back(&members);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto* a, const auto* b) { return (*a)[0].kernel < (*b)[0].kernel; });
  for (const std::vector<Member>* members : groups) {
    Shared shared = Merge(kernels, *members);
    shared.kernel.name = "k" + std::to_string(kernels.size());
    for (size_t m = 0; m < members->size(); ++m)
      codes[(*members)[m].kernel] = {kernels.size(), std::move(shared.dims[m])};
    kernels.push_back(std::move(shared.kernel));
  }
  return codes;
}

}  // namespace sinter::compiler
