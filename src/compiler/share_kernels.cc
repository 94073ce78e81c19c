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
// Kernels of one form.
struct Group {
  std::vector<Member> members;
  bool with_offsets = false;  // they have it with kernel::WithOffsets only
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
Shared Merge(const std::vector<Kernel>& kernels, const Group& group) {
  const std::vector<Member>& members = group.members;
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
  const Kernel& first = kernels[members[0].kernel];
  out.kernel = group.with_offsets
                   ? kernel::WithParameters(kernel::WithOffsets(first), parameter_of, parameters)
                   : kernel::WithParameters(first, parameter_of, parameters);
  return out;
}

// Kernels by their forms. Those of several forms that have one with offsets are one group.
std::map<kernel::KernelHash, Group> GroupsOf(const std::vector<Kernel>& kernels,
                                             const std::vector<bool>& may_share) {
  std::map<kernel::KernelHash, Group> by_form;
  for (size_t k = 0; k < kernels.size(); ++k) {
    if (!may_share[k] || !kernels[k].params.empty()) continue;
    kernel::KernelForm form = kernel::FormOf(kernels[k]);
    by_form[form.hash].members.push_back({k, std::move(form.constants)});
  }
  if (by_form.size() < 2) return by_form;
  std::map<kernel::KernelHash, std::vector<kernel::KernelHash>> forms_of;
  for (const auto& [hash, group] : by_form)
    forms_of[kernel::FormOf(kernel::WithOffsets(kernels[group.members[0].kernel])).hash].push_back(
        hash);
  for (const auto& [hash, forms] : forms_of) {
    if (forms.size() < 2) continue;
    Group joined;
    joined.with_offsets = true;
    for (const kernel::KernelHash& form : forms) {
      for (const Member& m : by_form[form].members) {
        kernel::KernelForm of = kernel::FormOf(kernel::WithOffsets(kernels[m.kernel]));
        joined.members.push_back({m.kernel, std::move(of.constants)});
      }
      by_form.erase(form);
    }
    std::sort(joined.members.begin(), joined.members.end(),
              [](const Member& a, const Member& b) { return a.kernel < b.kernel; });
    by_form[hash] = std::move(joined);
  }
  return by_form;
}

}  // namespace

std::vector<SharedCode> ShareKernels(std::vector<Kernel>& kernels,
                                     const std::vector<bool>& may_share) {
  std::vector<SharedCode> codes(kernels.size());
  for (size_t k = 0; k < kernels.size(); ++k) codes[k].kernel = k;
  const std::map<kernel::KernelHash, Group> by_form = GroupsOf(kernels, may_share);
  // In the order of the kernels, so that programs compile to the same code in every process.
  std::vector<const Group*> groups;
  for (const auto& [hash, group] : by_form) {
    if (static_cast<int>(group.members.size()) >= tuning::kSharedKernels) groups.push_back(&group);
  }
  std::sort(groups.begin(), groups.end(), [](const Group* a, const Group* b) {
    return a->members[0].kernel < b->members[0].kernel;
  });
  for (const Group* group : groups) {
    Shared shared = Merge(kernels, *group);
    shared.kernel.name = "k" + std::to_string(kernels.size());
    for (size_t m = 0; m < group->members.size(); ++m)
      codes[group->members[m].kernel] = {kernels.size(), std::move(shared.dims[m])};
    kernels.push_back(std::move(shared.kernel));
  }
  return codes;
}

}  // namespace sinter::compiler
