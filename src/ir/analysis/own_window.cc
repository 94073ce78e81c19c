#include "ir/analysis/own_window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/index_map.h"

namespace sinter {
namespace {

// Whether it gives the elements of its operand as they are, in their order: only dimensions of 1
// come and go.
bool KeepsElements(const HloInstruction& i) {
  const bool is_in_order = i.op() == HloOpcode::Reshape ||
                           (i.op() == HloOpcode::Broadcast &&
                            std::is_sorted(i.dimensions().begin(), i.dimensions().end()));
  return is_in_order && SameButForUnits(i.operand(0)->shape(), i.shape());
}

}  // namespace

bool IsOwnWindow(const HloInstruction& i, const HloInstruction& update) {
  const HloInstruction* array = update.operand(0);
  if (i.operands().empty() || i.operand(0) != array ||
      i.shape().dimensions() != update.operand(1)->shape().dimensions())
    return false;
  if (i.op() == HloOpcode::DynamicSlice) {
    return std::equal(i.operands().begin() + 1, i.operands().end(), update.operands().begin() + 2,
                      update.operands().end());
  }
  if (i.op() != HloOpcode::Slice) return false;
  const auto& a = i.attrs<SliceAttrs>();
  for (size_t d = 0; d < a.starts.size(); ++d) {
    const HloInstruction* start = update.operand(d + 2);
    const int64_t last = array->shape().dimension(static_cast<int64_t>(d)) -
                         i.shape().dimension(static_cast<int64_t>(d));
    if (a.strides[d] != 1) return false;
    if (last == 0) continue;
    if (start->op() != HloOpcode::Constant) return false;
    const double at = std::clamp(start->literal().GetAsDouble(0), 0., static_cast<double>(last));
    if (at != static_cast<double>(a.starts[d])) return false;
  }
  return true;
}

OwnReads ReadsOfOwnArray(const HloInstruction& update,
                         absl::FunctionRef<bool(const HloInstruction&)> is_code) {
  constexpr size_t kMost = 500;
  const HloInstruction* array = update.operand(0);
  // What has been visited, and whether each element of it is needed for the same one of the update
  // only.
  absl::flat_hash_map<const HloInstruction*, bool> seen;
  std::vector<std::pair<const HloInstruction*, bool>> stack{{update.operand(1), true}};
  for (size_t k = 2; k < update.operands().size(); ++k)
    stack.emplace_back(update.operand(k), false);
  OwnReads reads = OwnReads::kNone;
  while (!stack.empty()) {
    auto [i, same] = stack.back();
    stack.pop_back();
    if (i == array) return OwnReads::kOther;
    if (!is_code(*i)) continue;
    auto [known, is_new] = seen.try_emplace(i, same);
    if (!is_new && (!known->second || same)) continue;
    known->second = same;
    if (seen.size() > kMost) return OwnReads::kOther;
    size_t first = 0;  // of its operands, to visit
    if (IsOwnWindow(*i, update)) {
      if (!same) return OwnReads::kOther;
      reads = OwnReads::kWindow;
      first = 1;
    }
    const bool keeps = IsElementwise(i->op()) || KeepsElements(*i);
    for (size_t k = first; k < i->operands().size(); ++k)
      stack.emplace_back(i->operand(k), same && keeps);
  }
  return reads;
}

}  // namespace sinter
