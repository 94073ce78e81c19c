#include "codegen/emit/task_numbers.h"

#include <algorithm>

namespace sinter::emit {

using kernel::kNone;
using kernel::OpCode;
using kernel::Value;

int64_t TaskNumbers::Count() const {
  if (plan_.boxes.empty()) return CountIn(dims_);
  int64_t tasks = 0;
  for (const Box& box : plan_.boxes) tasks += CountIn(box);
  return tasks;
}

int64_t TaskNumbers::CountIn(const Box& box) const {
  std::vector<int64_t> sizes;
  for (const Interval& i : box) sizes.push_back(i.size());
  return CountIn(sizes);
}

int64_t TaskNumbers::CountIn(const std::vector<int64_t>& dims) const {
  int64_t tasks = 1;
  for (int d : plan_.task_dims) tasks *= Blocks(d, dims[static_cast<size_t>(d)]);
  return tasks;
}

int64_t TaskNumbers::Blocks(int dim, int64_t extent) const {
  const int64_t block = dim == plan_.row_dim      ? plan_.row_block
                        : dim == plan_.col_dim    ? plan_.col_block
                        : dim == plan_.finish_dim ? plan_.finish_cols
                        : dim == plan_.group_dim  ? plan_.group_rows
                                                  : 1;
  return (extent + block - 1) / std::max<int64_t>(1, block);
}

Value TaskNumbers::OfBox(Value task, const std::function<int64_t(const Box&)>& of) const {
  int64_t end = Count();
  Value chosen = kNone;
  for (auto box = plan_.boxes.rbegin(); box != plan_.boxes.rend(); ++box) {
    const Value here = region_.Int(of(*box));
    if (chosen == kNone) {
      chosen = here;
    } else if (chosen != here) {
      chosen = region_.IndexChoice(task, end, here, chosen);
    }
    end -= CountIn(*box);
  }
  return chosen;
}

Value TaskNumbers::InBox(Value task) const {
  const Value start = OfBox(task, [&](const Box& box) {
    int64_t first = 0;
    for (const Box& before : plan_.boxes) {
      if (&before == &box) break;
      first += CountIn(before);
    }
    return first;
  });
  return region_.IndexOp(OpCode::kMax, region_.IndexOp(OpCode::kSub, task, start), region_.Int(0));
}

}  // namespace sinter::emit
