#include "passes/buffers/share.h"

#include <algorithm>
#include <variant>

namespace sinter {

using program::Slice;
using program::Step;

void ShareStorage(const std::vector<int>& owners, std::vector<Step>& steps) {
  auto share = [&](Slice& s) { s.allocation = owners[static_cast<size_t>(s.allocation)]; };
  for (Step& step : steps) {
    if (auto* launch = std::get_if<program::Launch>(&step.op)) {
      for (Slice& s : launch->buffers) share(s);
    } else if (auto* copy = std::get_if<program::Copy>(&step.op)) {
      share(copy->source);
      share(copy->destination);
    } else if (auto* library = std::get_if<program::LibraryCall>(&step.op)) {
      for (Slice& s : library->buffers) share(s);
    } else if (auto* call = std::get_if<program::CustomCall>(&step.op)) {
      for (Slice& s : call->operands) share(s);
      for (Slice& s : call->results) share(s);
    } else if (auto* loop = std::get_if<program::While>(&step.op)) {
      share(loop->predicate);
      ShareStorage(owners, loop->condition);
      ShareStorage(owners, loop->body);
    } else if (auto* branch = std::get_if<program::Conditional>(&step.op)) {
      share(branch->selector);
      for (auto& b : branch->branches) ShareStorage(owners, b);
    }
  }
  auto is_idle = [](const Step& step) {
    const auto* copy = std::get_if<program::Copy>(&step.op);
    return copy != nullptr && copy->source.allocation == copy->destination.allocation &&
           copy->source.offset == copy->destination.offset;
  };
  steps.erase(std::remove_if(steps.begin(), steps.end(), is_idle), steps.end());
}

}  // namespace sinter
