#include "codegen/kernel/parameters.h"

#include <algorithm>
#include <bit>
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

}  // namespace

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
