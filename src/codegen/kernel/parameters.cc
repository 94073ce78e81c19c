#include "codegen/kernel/parameters.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace sinter::kernel {
namespace {

// The scalar constants of a kernel, and which uses of them are free.
class Constants {
 public:
  explicit Constants(const Kernel& kernel)
      : k_(kernel), constant_(kernel.types.size()), maker_(kernel.types.size()) {
    Collect(kernel.top, nullptr);
    while (!waiting_.empty()) {
      const Value v = waiting_.back();
      waiting_.pop_back();
      // Where data comes from, no loop depends on.
      if (const Op* op = maker_[At(v)]; op != nullptr && op->code != OpCode::kLoad) FixAll(*op);
    }
  }

  // The constant that the value is, or null.
  const Op* ConstantOf(Value v) const { return constant_[At(v)]; }
  bool IsFree(const Op& op, size_t operand) const {
    const Value v = op.operands[operand];
    const Op* constant = v < 0 ? nullptr : ConstantOf(v);
    if (constant == nullptr) return false;
    if (op.code != OpCode::kLoad &&
        std::any_of(op.results.begin(), op.results.end(), [&](Value r) { return IsFixed(r); }))
      return false;
    const ElementType elem = k_.type(v).elem;
    if (elem == ElementType::F32 || elem == ElementType::F64)
      return IsPointwise(op.code) || op.code == OpCode::kSplat;
    if (!IsInteger(elem)) return false;
    if (op.code == OpCode::kLoad || op.code == OpCode::kStore) {
      const size_t first = op.code == OpCode::kStore ? 1 : 0;
      return operand >= first && operand < first + op.steps.size();
    }
    if (op.results.size() != 1) return false;
    const Type& type = k_.type(op.results[0]);
    const bool is_index = type == kIndexType;
    switch (op.code) {
      case OpCode::kAdd:
      case OpCode::kSub:
        return true;
      case OpCode::kCvt:
        return is_index;
      // Data, which no access depends on.
      case OpCode::kSplat:
      case OpCode::kCmp:
      case OpCode::kSelect:
      case OpCode::kMin:
      case OpCode::kMax:
      case OpCode::kAnd:
      case OpCode::kOr:
      case OpCode::kXor:
        return !type.is_scalar();
      default:
        return false;
    }
  }
  FreeConstant Get(const Op& op, size_t operand) const {
    const Op& constant = *ConstantOf(op.operands[operand]);
    FreeConstant c;
    c.elem = k_.type(op.operands[operand]).elem;
    c.bits = static_cast<uint64_t>(constant.int_value);
    if (c.elem == ElementType::F64) c.bits = std::bit_cast<uint64_t>(constant.float_value);
    if (c.elem == ElementType::F32)
      c.bits = std::bit_cast<uint32_t>(static_cast<float>(constant.float_value));
    return c;
  }

 private:
  static size_t At(Value v) { return static_cast<size_t>(v); }
  bool IsFixed(Value v) const { return fixed_.size() > At(v) && fixed_[At(v)]; }
  void Fix(const Values& values) {
    for (Value v : values) Fix(v);
  }
  void Fix(Value v) {
    // What floats decide, nothing is known of, whatever the constants are.
    if (v < 0 || IsFloat(k_.type(v).elem)) return;
    if (fixed_.size() <= At(v)) fixed_.resize(k_.types.size());
    if (fixed_[At(v)]) return;
    fixed_[At(v)] = true;
    waiting_.push_back(v);
  }
  void FixAll(const Op& op) {
    Fix(op.operands);
    for (const Block& region : op.regions) Fix(region.yield);
  }
  void Collect(const Block& block, const Op* owner) {
    for (Value v : block.args) maker_[At(v)] = owner;
    for (const Op& op : block.ops) {
      for (Value v : op.results) maker_[At(v)] = &op;
      if (op.code == OpCode::kConst && k_.type(op.results[0]).is_scalar())
        constant_[At(op.results[0])] = &op;
      switch (op.code) {
        case OpCode::kFor:
          Fix(op.operands[0]);
          Fix(op.operands[1]);
          break;
        case OpCode::kMask:
          Fix(op.operands);
          break;
        case OpCode::kIf:
          Fix(op.operands[0]);
          break;
        case OpCode::kWhile:
          Fix(op.regions[0].yield);
          break;
        default:
          break;
      }
      for (const Block& region : op.regions) Collect(region, &op);
    }
  }

  const Kernel& k_;
  std::vector<const Op*> constant_, maker_;  // by value; of block arguments: the block's owner
  std::vector<bool> fixed_;                  // what loops and masks depend on
  std::vector<Value> waiting_;
};

// Calls with every use of a value by an operation, in order.
template <class BlockType, class Visit>
void ForEachOperand(BlockType& block, const Visit& visit) {
  for (auto& op : block.ops) {
    for (size_t n = 0; n < op.operands.size(); ++n) visit(op, n);
    for (auto& region : op.regions) ForEachOperand(region, visit);
  }
}

// Gives indices offsets; see WithOffsets.
class Offsets {
 public:
  explicit Offsets(Kernel& kernel) : k_(kernel), maker_(kernel.types.size()) {
    FindMakers(k_.top);
    TakeApart(k_.top);
    AddSums(k_.top);
    uses_.resize(k_.types.size());
    CountUses(k_.top);
    RemoveUnused(k_.top);
    k_.top.ops.insert(k_.top.ops.begin(), std::make_move_iterator(constants_.begin()),
                      std::make_move_iterator(constants_.end()));
  }

 private:
  // What makes an index: a constant, or an addition of one to another index.
  struct Maker {
    std::optional<int64_t> constant;
    Value base = -1;
    int64_t offset = 0;
  };
  struct Sum {
    Value value = -1;
    int64_t offset = 0;
  };

  static size_t At(Value v) { return static_cast<size_t>(v); }
  Value NewIndex() {
    k_.types.push_back(kIndexType);
    return static_cast<Value>(k_.types.size() - 1);
  }
  void FindMakers(const Block& block) {
    for (const Op& op : block.ops) {
      for (const Block& region : op.regions) FindMakers(region);
      if (op.results.size() != 1 || k_.type(op.results[0]) != kIndexType) continue;
      Maker& maker = maker_[At(op.results[0])];
      if (op.code == OpCode::kConst) maker.constant = op.int_value;
      if (op.code != OpCode::kAdd) continue;
      for (size_t n = 0; n < 2; ++n) {
        const std::optional<int64_t>& constant = maker_[At(op.operands[n])].constant;
        if (constant.has_value()) maker = {std::nullopt, op.operands[1 - n], *constant};
      }
    }
  }
  void TakeApart(Block& block) {
    for (Op& op : block.ops) {
      for (Block& region : op.regions) TakeApart(region);
      if (op.code != OpCode::kLoad && op.code != OpCode::kStore) continue;
      const size_t first = op.code == OpCode::kStore ? 1 : 0;
      for (size_t n = first; n < first + op.steps.size(); ++n) {
        Value base = op.operands[n];
        int64_t offset = 0;
        while (maker_[At(base)].base >= 0) {
          // Indices wrap around as the additions do.
          offset = static_cast<int64_t>(static_cast<uint64_t>(offset) +
                                        static_cast<uint64_t>(maker_[At(base)].offset));
          base = maker_[At(base)].base;
        }
        if (maker_[At(base)].constant.has_value()) continue;
        op.operands[n] = NewIndex();
        sums_[base].push_back({op.operands[n], offset});
      }
    }
  }
  // As far out as the value is known: what is inside is moved out no more.
  void AddSums(Block& block) {
    std::vector<Op> ops;
    if (&block == &k_.top) {
      for (const Param& p : k_.params) AddSumsOf(p.value, ops);
    }
    for (Value v : block.args) AddSumsOf(v, ops);
    for (Op& op : block.ops) {
      for (Block& region : op.regions) AddSums(region);
      const Values results = op.results;
      ops.push_back(std::move(op));
      for (Value v : results) AddSumsOf(v, ops);
    }
    block.ops = std::move(ops);
  }
  void AddSumsOf(Value base, std::vector<Op>& ops) {
    const auto sums = sums_.find(base);
    if (sums == sums_.end()) return;
    for (const Sum& sum : sums->second) {
      Op constant;
      constant.code = OpCode::kConst;
      constant.int_value = sum.offset;
      constant.results = {NewIndex()};
      Op add;
      add.code = OpCode::kAdd;
      add.operands = {base, constant.results[0]};
      add.results = {sum.value};
      constants_.push_back(std::move(constant));
      ops.push_back(std::move(add));
    }
  }
  void CountUses(const Block& block) {
    for (const Op& op : block.ops) {
      for (Value v : op.operands) ++uses_[At(v)];
      for (const Block& region : op.regions) CountUses(region);
    }
    for (Value v : block.yield) ++uses_[At(v)];
  }
  // Of the additions that were taken apart. Users come after what they use.
  void RemoveUnused(Block& block) {
    std::vector<Op> kept;
    for (auto op = block.ops.rbegin(); op != block.ops.rend(); ++op) {
      for (Block& region : op->regions) RemoveUnused(region);
      if (op->code != OpCode::kAdd || uses_[At(op->results[0])] > 0) {
        kept.push_back(std::move(*op));
      } else {
        for (Value v : op->operands) --uses_[At(v)];
      }
    }
    std::reverse(kept.begin(), kept.end());
    block.ops = std::move(kept);
  }

  Kernel& k_;
  std::vector<Maker> maker_;                // by value
  std::map<Value, std::vector<Sum>> sums_;  // by base, in the order of the accesses
  std::vector<Op> constants_;
  std::vector<int> uses_;
};

}  // namespace

Kernel WithOffsets(const Kernel& kernel) {
  Kernel out = kernel;
  const Offsets added(out);
  return out;
}

KernelForm FormOf(const Kernel& kernel) {
  const Constants constants(kernel);
  KernelForm form;
  form.hash = HashWithout(kernel, [&](const Op& op, size_t n) {
    if (!constants.IsFree(op, n)) return kNotFree;
    form.constants.push_back(constants.Get(op, n));
    if (kernel.warps == 0 || form.constants.back().elem != kIndexType.elem) return 0;
    return std::countr_zero(form.constants.back().bits | 16);
  });
  return form;
}

Kernel WithParameters(const Kernel& kernel, absl::Span<const int> parameter_of,
                      absl::Span<const ConstantParameter> parameters) {
  Kernel out = kernel;
  auto make = [&](Type type) {
    out.types.push_back(type);
    return static_cast<Value>(out.types.size() - 1);
  };
  std::vector<Op> conversions;
  auto convert = [&](OpCode code, Value from, ElementType to) {
    Op op;
    op.code = code;
    op.operands = {from};
    op.results = {make({to})};
    conversions.push_back(op);
    return op.results[0];
  };
  Values values;
  for (const ConstantParameter& p : parameters) {
    Param param;
    param.name = "d" + std::to_string(out.params.size());
    param.value = make(kIndexType);
    param.lo = p.lo;
    param.hi = p.hi;
    param.multiple = p.multiple;
    out.params.push_back(param);
    Value v = param.value;
    if (p.elem == ElementType::F64) {
      v = convert(OpCode::kBitcast, v, p.elem);
    } else if (p.elem == ElementType::F32) {
      v = convert(OpCode::kBitcast, convert(OpCode::kCvt, v, ElementType::S32), p.elem);
    } else if (p.elem != kIndexType.elem) {
      v = convert(OpCode::kCvt, v, p.elem);
    }
    values.push_back(v);
  }
  const Constants constants(kernel);
  // The operations of `kernel` say which uses are free; those of `out` are the same so far.
  std::vector<Value> replacement;
  size_t use = 0;
  ForEachOperand(kernel.top, [&](const Op& op, size_t n) {
    const int p = constants.IsFree(op, n) ? parameter_of[use++] : -1;
    replacement.push_back(p < 0 ? op.operands[n] : values[static_cast<size_t>(p)]);
  });
  size_t next = 0;
  ForEachOperand(out.top, [&](Op& op, size_t n) { op.operands[n] = replacement[next++]; });
  out.top.ops.insert(out.top.ops.begin(), std::make_move_iterator(conversions.begin()),
                     std::make_move_iterator(conversions.end()));
  return out;
}

int64_t ArgumentFor(const FreeConstant& constant) { return static_cast<int64_t>(constant.bits); }

}  // namespace sinter::kernel
