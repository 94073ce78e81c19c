// Which thread of a block touches which element of memory, while a kernel with layouts is
// interpreted: proves that barriers stand wherever two threads meet.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel/interpret.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/text.h"

namespace sinter::kernel {

class RaceChecker : public Observer {
 public:
  explicit RaceChecker(const Kernel& kernel) : k_(kernel), elements_(kernel.buffers.size()) {}

  // The first race: an element that two threads touched without a barrier between them, one of
  // them writing.
  const std::string& race() const { return race_; }
  int64_t syncs() const { return syncs_; }
  int64_t touched() const { return touched_; }

  void BeginTask() override { ++epoch_; }
  void Sync() override {
    ++epoch_;
    ++syncs_;
  }
  void Touch(const Op& op, int row, int col, int64_t element) override {
    ++touched_;
    const bool writes = op.code == OpCode::kStore;
    const Type& tile = k_.type(writes ? op.operands[0] : op.results[0]);
    const Place place = PlaceOf(k_, tile, row, col);
    const ThreadBits named = NamedBits(LayoutOf(k_, tile));
    const int thread = place.warp * kWarpLanes + place.lane;
    // All copies read; copy 0 writes.
    const bool many = !writes && (named.lanes != kWarpLanes - 1 || named.warps != k_.warps - 1);
    auto& elements = elements_[MemoryOf(op.buffer)];
    if (static_cast<size_t>(element) >= elements.size())
      elements.resize(static_cast<size_t>(element) + 1);
    Element& e = elements[static_cast<size_t>(element)];
    if (e.epoch != epoch_) e = {.epoch = epoch_};
    bool races = e.writer >= 0 && (many || e.writer != thread);
    if (writes) races |= e.many_readers || (e.reader >= 0 && e.reader != thread);
    if (races && race_.empty()) {
      race_ = Print(k_, op) + ": element " + std::to_string(element) + ", thread " +
              std::to_string(thread);
    }
    if (writes) {
      e.writer = thread;
    } else {
      e.many_readers |= many || (e.reader >= 0 && e.reader != thread);
      e.reader = thread;
    }
  }

 private:
  // Buffers of one alias group are one memory.
  size_t MemoryOf(int buffer) const {
    const int group = k_.buffers[static_cast<size_t>(buffer)].alias_group;
    for (size_t b = 0; group >= 0; ++b) {
      if (k_.buffers[b].alias_group == group) return b;
    }
    return static_cast<size_t>(buffer);
  }

  struct Element {  // what happened to it since the last barrier
    int64_t epoch = -1;
    int writer = -1, reader = -1;
    bool many_readers = false;
  };
  const Kernel& k_;
  std::vector<std::vector<Element>> elements_;
  int64_t epoch_ = 0, syncs_ = 0, touched_ = 0;
  std::string race_;
};

}  // namespace sinter::kernel
