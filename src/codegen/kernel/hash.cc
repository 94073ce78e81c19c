#include "codegen/kernel/hash.h"

#include <algorithm>
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
  using Free = std::function<int(const Op&, size_t)>;
  // Without `free`, constants enter where they are defined.
  explicit Hasher(const Kernel& kernel, const Free* free = nullptr)
      : k_(kernel), free_(free), numbers_(kernel.types.size(), -1) {
    if (free != nullptr) constants_.resize(kernel.types.size());
  }

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
    return OfWords();
  }

  // See HashOfClosed.
  std::optional<KernelHash> Closed(const Op& op, std::vector<int>& buffers) {
    closed_buffers_ = &buffers;
    constants_.resize(k_.types.size());
    for (const Op& top : k_.top.ops) {
      if (top.code == OpCode::kConst && k_.type(top.results[0]).is_scalar())
        constants_[static_cast<size_t>(top.results[0])] = &top;
    }
    Put(k_.lanes);
    PutOp(op);
    if (!is_closed_) return std::nullopt;
    return OfWords();
  }

 private:
  KernelHash OfWords() const {
    XXH128_hash_t h = XXH3_128bits(words_.data(), words_.size() * sizeof(words_[0]));
    return {h.low64, h.high64};
  }
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
    for (Value v : values) Use(v);
  }
  void Use(Value v) {
    if (!IsValue(v)) return Put(-1);
    if (!constants_.empty() && constants_[static_cast<size_t>(v)] != nullptr) {
      const Op& constant = *constants_[static_cast<size_t>(v)];
      Put(kConstantUse);
      Put(k_.type(v).elem);
      Put(constant.int_value);
      return Put(std::bit_cast<uint64_t>(constant.float_value));
    }
    is_closed_ &= numbers_[static_cast<size_t>(v)] >= 0;
    Put(numbers_[static_cast<size_t>(v)]);
  }
  void Operands(const Op& op) {
    if (free_ == nullptr) return Uses(op.operands);
    Put(op.operands.size());
    for (size_t n = 0; n < op.operands.size(); ++n) {
      const int free = (*free_)(op, n);
      if (free == kNotFree) {
        Use(op.operands[n]);
      } else {
        Put(kFreeUse);
        Put(k_.type(op.operands[n]).elem);
        Put(free);
      }
    }
  }
  bool EntersByUse(const Op& op) const {
    return free_ != nullptr && op.code == OpCode::kConst && k_.type(op.results[0]).is_scalar();
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
  // Among closed operations a buffer has the number of its first use, where its type enters.
  void PutBufferOf(const Op& op) {
    if (closed_buffers_ == nullptr || op.buffer < 0) return Put(op.buffer);
    const auto known = std::find(closed_buffers_->begin(), closed_buffers_->end(), op.buffer);
    Put(known - closed_buffers_->begin());
    if (known != closed_buffers_->end()) return;
    closed_buffers_->push_back(op.buffer);
    const Buffer& b = k_.buffers[static_cast<size_t>(op.buffer)];
    Put(b.elem);
    Uses(b.shape);
    Uses(b.strides);
    Put(b.space);
    is_closed_ &= b.alias_group < 0;
  }
  void PutBlock(const Block& block) {
    Defines(block.args);
    Put(std::count_if(block.ops.begin(), block.ops.end(),
                      [&](const Op& op) { return !EntersByUse(op); }));
    for (const Op& op : block.ops) {
      if (EntersByUse(op)) {
        constants_[static_cast<size_t>(op.results[0])] = &op;
      } else {
        PutOp(op);
      }
    }
    Uses(block.yield);
  }
  void PutOp(const Op& op) {
    Put(op.code);
    Operands(op);
    Defines(op.results);
    Put(op.int_value);
    Put(std::bit_cast<uint64_t>(op.float_value));
    PutBufferOf(op);
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

  static constexpr int64_t kConstantUse = -2, kFreeUse = -3;  // where other uses have a number

  const Kernel& k_;
  const Free* const free_;
  std::vector<const Op*> constants_;  // by value, with `free_`
  std::vector<uint64_t> words_;
  std::vector<int> numbers_;  // of values, in the order of their definition
  int next_ = 0;
  std::map<int, int> groups_;
  std::vector<int>* closed_buffers_ = nullptr;
  bool is_closed_ = true;  // no operation uses a value before it is defined
};

}  // namespace

KernelHash Hash(const Kernel& kernel) { return Hasher(kernel).All(); }

KernelHash HashWithout(const Kernel& kernel, const std::function<int(const Op&, size_t)>& free) {
  return Hasher(kernel, &free).All();
}

std::optional<KernelHash> HashOfClosed(const Kernel& kernel, const Op& op,
                                       std::vector<int>& buffers) {
  return Hasher(kernel).Closed(op, buffers);
}

}  // namespace sinter::kernel
