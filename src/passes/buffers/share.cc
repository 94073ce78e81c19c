#include "passes/buffers/share.h"

#include <algorithm>
#include <variant>

#include "program/walk.h"

namespace sinter {

using program::Slice;
using program::Step;

void ShareStorage(const std::vector<int>& owners, std::vector<Step>& steps) {
  auto share = [&](Slice& s) { s.allocation = owners[static_cast<size_t>(s.allocation)]; };
  for (Step& step : steps) {
    program::ForEachSlice(step, share);
    program::ForEachBody(step, [&](std::vector<Step>& body) { ShareStorage(owners, body); });
  }
  auto is_idle = [](const Step& step) {
    const auto* copy = std::get_if<program::Copy>(&step.op);
    return copy != nullptr && copy->source.allocation == copy->destination.allocation &&
           copy->source.offset == copy->destination.offset;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), is_idle), steps.end());
}

}  // namespace sinter
