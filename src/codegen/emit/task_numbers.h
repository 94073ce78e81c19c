// The numbers of a nest's tasks: how many there are, and which of the plan's boxes one is in.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "codegen/emit/region.h"

namespace sinter::emit {

class TaskNumbers {
 public:
  // Of the region's plan, whose domain has these extents; they must outlive this.
  TaskNumbers(Region& region, const std::vector<int64_t>& dims)
      : region_(region), plan_(region.plan()), dims_(dims) {}

  int64_t Count() const;
  // How many tasks a dimension of so many elements makes.
  int64_t Blocks(int dim, int64_t extent) const;
  // What differs between the boxes of the plan, of the one that a task is in.
  kernel::Value OfBox(kernel::Value task, const std::function<int64_t(const Box&)>& of) const;
  // The number of a task within its box.
  kernel::Value InBox(kernel::Value task) const;

 private:
  int64_t CountIn(const Box& box) const;
  int64_t CountIn(const std::vector<int64_t>& dims) const;

  Region& region_;
  const plan::Plan& plan_;
  const std::vector<int64_t>& dims_;
};

}  // namespace sinter::emit
