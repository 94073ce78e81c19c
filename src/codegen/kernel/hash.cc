#include "codegen/kernel/hash.h"

#include <bit>
#include <map>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter::kernel {
namespace {

// Writes a kernel as a sequence of words that determines it, up to names. Every list is preceded by
// its length, so that no two kernels share a sequence.
class Hasher {
 public:
  explicit Hasher(const Kernel& kernel) : k_(kernel), numbers_(kernel.types.size(), -1) {}

  KernelHash All() {
    Put(k_.lanes);
    Put(k_.warps);
    Put(k_.layouts.size());
    for (const Layout& layout : k_.layouts) PutLayout(layout);
    Put(k_.params.size());
    for (const Param& p : k_.params) {
      Define(p.value);
      Put(p.lo);
      Put(p.hi);
      Put(p.multiple);
    }
    // Operations number the values that buffers name, so they come first.
    PutBlock(k_.top);
    Put(k_.buffers.size());
    for (const Buffer& b : k_.buffers) PutBuffer(b);
    XXH128_hash_t h = XXH3_128bits(words_.data(), words_.size() * sizeof(words_[0]));
    return {h.low64, h.high64};
  }

 private:
  template <class T>
  void Put(T x) {
    words_.push_back(static_cast<uint64_t>(x));
  }
  bool IsValue(Value v) const { return v >= 0 && static_cast<size_t>(v) < numbers_.size(); }
  void Define(Value v) {
    if (!IsValue(v)) return Put(-1);
    numbers_[static_cast<size_t>(v)] = next_++;
    const Type& t = k_.type(v);
    Put(t.elem);
    Put(t.rows);
    Put(t.cols);
    Put(t.layout);
  }
  void Defines(const Values& values) {
    Put(values.size());
    for (Value v : values) Define(v);
  }
  void Uses(const Values& values) {
    Put(values.size());
    for (Value v : values) Put(IsValue(v) ? numbers_[static_cast<size_t>(v)] : -1);
  }
  void PutLayout(const Layout& layout) {
    for (const std::vector<Factor>& axis : layout.axes) {
      Put(axis.size());
      for (const Factor& f : axis) {
        Put(f.dim);
        Put(f.extent);
        Put(f.stride);
      }
    }
  }
  void PutBuffer(const Buffer& b) {
    Put(b.elem);
    Uses(b.shape);
    Uses(b.strides);
    Put(b.space);
    Put(b.written);
    // Which buffers share a group matters, not its number.
    Put(b.alias_group < 0
            ? -1
            : groups_.try_emplace(b.alias_group, static_cast<int>(groups_.size())).first->second);
    Put(b.data.size());
    if (b.data.empty()) return;
    XXH128_hash_t h = XXH3_128bits(b.data.data(), b.data.size());
    Put(h.low64);
    Put(h.high64);
  }
  void PutBlock(const Block& block) {
    Defines(block.args);
    Put(block.ops.size());
    for (const Op& op : block.ops) PutOp(op);
    Uses(block.yield);
  }
  void PutOp(const Op& op) {
    Put(op.code);
    Uses(op.operands);
    Defines(op.results);
    Put(op.int_value);
    Put(std::bit_cast<uint64_t>(op.float_value));
    Put(op.buffer);
    Put(op.steps.size());
    for (const Step& s : op.steps) {
      Put(s.rows);
      Put(s.cols);
    }
    Put(op.masked);
    Put(op.non_temporal);
    Put(op.async);
    Put(op.in_range);
    Put(op.axis);
    Put(op.predicate);
    Put(op.loop);
    Put(op.tail);
    Put(op.regions.size());
    for (const Block& region : op.regions) PutBlock(region);
  }

  const Kernel& k_;
  std::vector<uint64_t> words_;
  std::vector<int> numbers_;  // of values, in the order of their definition
  int next_ = 0;
  std::map<int, int> groups_;
};

}  // namespace

KernelHash Hash(const Kernel& kernel) { return Hasher(kernel).All(); }

}  // namespace sinter::kernel
