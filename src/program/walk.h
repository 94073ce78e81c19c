// What a step names and holds, whatever its kind. `Step` may be const.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "program/program.h"

namespace sinter::program {

// Calls f with each slice that the step itself names, not those of steps in it.
template <class Step, class F>
void ForEachSlice(Step& step, F&& f) {
  auto all = [&](auto& slices) {
    for (auto& s : slices) f(s);
  };
  if (auto* launch = std::get_if<Launch>(&step.op)) {
    all(launch->buffers);
  } else if (auto* copy = std::get_if<Copy>(&step.op)) {
    f(copy->source);
    f(copy->destination);
  } else if (auto* library = std::get_if<LibraryCall>(&step.op)) {
    all(library->buffers);
  } else if (auto* call = std::get_if<CustomCall>(&step.op)) {
    all(call->operands);
    all(call->results);
  } else if (auto* loop = std::get_if<While>(&step.op)) {
    f(loop->predicate);
  } else if (auto* branch = std::get_if<Conditional>(&step.op)) {
    f(branch->selector);
  } else if (auto* id = std::get_if<ParticipantId>(&step.op)) {
    f(id->result);
  } else if (auto* collective = std::get_if<Collective>(&step.op)) {
    all(collective->operands);
    all(collective->results);
  }
}

// What the step itself reads, writes and computes, not the steps in it.
inline Cost CostOf(const Step& step) {
  auto bytes_of = [](const std::vector<Slice>& slices) {
    int64_t bytes = 0;
    for (const Slice& s : slices) bytes += s.size;
    return bytes;
  };
  if (const auto* launch = std::get_if<Launch>(&step.op)) return launch->cost;
  if (const auto* copy = std::get_if<Copy>(&step.op)) return {copy->source.size, copy->source.size};
  if (const auto* library = std::get_if<LibraryCall>(&step.op)) return library->cost;
  if (const auto* call = std::get_if<CustomCall>(&step.op))
    return {bytes_of(call->operands), bytes_of(call->results)};
  if (const auto* collective = std::get_if<Collective>(&step.op)) return collective->cost;
  return {};
}

// Calls f with each list of steps in the step.
template <class Step, class F>
void ForEachBody(Step& step, F&& f) {
  if (auto* loop = std::get_if<While>(&step.op)) {
    f(loop->condition);
    f(loop->body);
  } else if (auto* branch = std::get_if<Conditional>(&step.op)) {
    for (auto& b : branch->branches) f(b);
  }
}

// Whether a loop does nothing but launch kernels, and copies that are none where storage exchanges
// its roles.
inline bool LaunchesOnly(const While& loop) {
  auto is_launch = [](const Step& step) { return std::holds_alternative<Launch>(step.op); };
  return std::all_of(loop.condition.begin(), loop.condition.end(), is_launch) &&
         std::all_of(loop.body.begin(), loop.body.end(), [&](const Step& step) {
           const auto* copy = std::get_if<Copy>(&step.op);
           return is_launch(step) || (copy != nullptr && (copy->exchange || copy->keeps));
         });
}

}  // namespace sinter::program
