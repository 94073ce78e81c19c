#include "codegen/kernel/verify_types.h"

#include <algorithm>

#include "base/text.h"
#include "codegen/kernel/fragments.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/scalar.h"

namespace sinter::kernel {
namespace {

bool IsArithmeticFloat(ElementType e) { return e == ElementType::F32 || e == ElementType::F64; }

class TypeChecker {
 public:
  TypeChecker(const Kernel& kernel, const Op& op) : k_(kernel), op_(op) {}

  std::string Check() {
    if (IsPointwise(op_.code)) return Pointwise();
    switch (op_.code) {
      case OpCode::kConst:
        return Const();
      case OpCode::kIota:
        return Iota();
      case OpCode::kSplat:
        return Splat();
      case OpCode::kMask:
        return Mask();
      case OpCode::kLoad:
        return Load();
      case OpCode::kStore:
        return Store();
      case OpCode::kReduce:
        return Reduce();
      case OpCode::kTranspose:
        return Transpose();
      case OpCode::kInterleave:
        return Interleave();
      case OpCode::kDeinterleave:
        return Deinterleave();
      case OpCode::kPack:
        return Pack();
      case OpCode::kDot:
        return Dot();
      case OpCode::kRelayout:
        return Relayout();
      case OpCode::kSync:
      case OpCode::kCommit:
        return Counts(0, 0);
      case OpCode::kWait:
        if (op_.int_value < 0) return "waits for less than nothing";
        return Counts(0, 0);
      case OpCode::kFor:
        return For();
      case OpCode::kWhile:
        return While();
      case OpCode::kIf:
        return If();
      default:
        return "unknown operation";
    }
  }

 private:
  const Type& In(size_t i) const { return k_.type(op_.operands[i]); }
  const Type& Out(size_t i = 0) const { return k_.type(op_.results[i]); }
  static std::string Text(const Type& t) {
    std::string layout = t.layout != 0 ? Format(" #{}", t.layout) : "";
    return Format("{}[{}x{}{}]", Name(t.elem), t.rows, t.cols, layout);
  }
  std::string Counts(size_t operands, size_t results, size_t regions = 0) const {
    if (op_.operands.size() != operands)
      return Format("has {} operands, not {}", op_.operands.size(), operands);
    if (op_.results.size() != results)
      return Format("has {} results, not {}", op_.results.size(), results);
    if (op_.regions.size() != regions)
      return Format("has {} regions, not {}", op_.regions.size(), regions);
    return "";
  }
  // An axis of extent 1 drops its factors, so only a tile of several elements has a layout to agree
  // on.
  static bool Broadcasts(const Type& from, const Type& to) {
    return (from.rows == 1 || from.rows == to.rows) && (from.cols == 1 || from.cols == to.cols) &&
           (from.is_scalar() || from.layout == to.layout);
  }
  std::string Shapes() const {
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      if (!Broadcasts(In(i), Out()))
        return Format("operand {} does not broadcast to {}", Text(In(i)), Text(Out()));
    }
    return "";
  }

  std::string Pointwise() const {
    std::string error = Counts(static_cast<size_t>(PointwiseArity(op_.code)), 1);
    if (error.empty()) error = Shapes();
    if (error.empty()) error = Elements();
    return error;
  }
  std::string Elements() const {
    const ElementType out = Out().elem, in = In(0).elem;
    const bool integer = IsInteger(in), floating = IsArithmeticFloat(in),
               predicate = in == ElementType::PRED;
    switch (op_.code) {
      case OpCode::kCvt:
        if (op_.in_range && (!IsFloat(in) || !IsInteger(out)))
          return "inrange is of floats to integers";
        return "";
      case OpCode::kBitcast:
        if (predicate || out == ElementType::PRED || BitWidth(in) != BitWidth(out))
          return "widths differ";
        return "";
      case OpCode::kCmp:
        if (In(1).elem != in) return "operands differ in element type";
        if (out != ElementType::PRED) return "the result is not a predicate";
        return integer || floating || predicate ? "" : NotOf(in);
      case OpCode::kSelect:
        if (!predicate) return "the condition is not a predicate";
        return In(1).elem == out && In(2).elem == out ? "" : "operands differ in element type";
      case OpCode::kLdexp: {
        if (!floating || out != in) return NotOf(in);
        ElementType power = in == ElementType::F64 ? ElementType::S64 : ElementType::S32;
        return In(1).elem == power ? "" : Format("the exponent is not {}", Name(power));
      }
      case OpCode::kDotAdd:
        return DotAdd();
      default:
        break;
    }
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      if (In(i).elem != out) return "operands and result differ in element type";
    }
    return Allowed(integer, floating, predicate) ? "" : NotOf(in);
  }
  // Pairs of BF16 or of S16, or unsigned bytes by signed ones.
  std::string DotAdd() const {
    const ElementType sum = Out().elem;
    if (In(2).elem != sum) return "the sum is of another type";
    if (sum != ElementType::F32 && sum != ElementType::S32) return NotOf(sum);
    const ElementType right = sum == ElementType::F32 ? ElementType::U32 : ElementType::S32;
    if (In(1).elem == right && (In(0).elem == ElementType::U32 || In(0).elem == right)) return "";
    return Format("the words are not of u32 and {0}, or of {0}", Name(right));
  }
  bool Allowed(bool integer, bool floating, bool predicate) const {
    switch (op_.code) {
      case OpCode::kMulHi:
      case OpCode::kShl:
      case OpCode::kShr:
      case OpCode::kPopcnt:
      case OpCode::kClz:
        return integer;
      case OpCode::kAnd:
      case OpCode::kOr:
      case OpCode::kXor:
        return integer || predicate;
      case OpCode::kFma:
      case OpCode::kSqrt:
      case OpCode::kFloor:
      case OpCode::kCeil:
      case OpCode::kTrunc:
      case OpCode::kRoundEven:
        return floating;
      default:
        return integer || floating;
    }
  }
  std::string NotOf(ElementType elem) const { return Format("is not defined for {}", Name(elem)); }

  std::string Const() const {
    if (std::string error = Counts(0, 1); !error.empty()) return error;
    const ElementType elem = Out().elem;
    if (!IsFloat(elem))
      return WrapToType(elem, op_.int_value) == op_.int_value ? "" : "the value exceeds its type";
    double rounded = RoundToType(elem, op_.float_value);
    bool exact =
        rounded == op_.float_value || (rounded != rounded && op_.float_value != op_.float_value);
    return exact ? "" : "the value is not exact in its type";
  }
  std::string Iota() const {
    if (std::string error = Counts(0, 1); !error.empty()) return error;
    return IsInteger(Out().elem) || IsArithmeticFloat(Out().elem) ? "" : NotOf(Out().elem);
  }
  std::string Splat() const {
    if (std::string error = Counts(1, 1); !error.empty()) return error;
    return In(0).is_scalar() && In(0).elem == Out().elem
               ? ""
               : "repeats a scalar of the result's element type";
  }
  std::string Mask() const {
    if (std::string error = Counts(2, 1); !error.empty()) return error;
    if (In(0) != kIndexType || In(1) != kIndexType) return "base and limit are not index scalars";
    return Out().elem == ElementType::PRED ? "" : "the result is not a predicate";
  }

  // `from` is the first index operand, `tile` the type of what moves.
  std::string Access(size_t from, size_t after, const Type& tile) const {
    const Buffer& b = k_.buffers[static_cast<size_t>(op_.buffer)];
    const size_t rank = b.shape.size();
    if (op_.steps.size() != rank || op_.operands.size() != from + rank + (op_.masked ? after : 0)) {
      return Format("needs an index for each of the {} dimensions", rank);
    }
    if (tile.elem != b.elem)
      return Format("moves {} of a buffer of {}", Name(tile.elem), Name(b.elem));
    for (size_t i = from; i < op_.operands.size(); ++i) {
      if (!Broadcasts(In(i), tile))
        return Format("operand {} does not broadcast to {}", Text(In(i)), Text(tile));
      ElementType e = In(i).elem;
      if (i < from + rank) {
        if (e != ElementType::S64 && e != ElementType::S32) return "an index is of s64 or s32";
      } else if (i == from + rank) {
        if (e != ElementType::PRED) return "the mask is not a predicate";
      } else if (e != b.elem) {
        return "the else-value is not of the buffer's element type";
      }
    }
    return "";
  }
  std::string Load() const {
    if (op_.results.size() != 1 || !op_.regions.empty()) return "has one result";
    return Access(0, 2, Out());
  }
  std::string Store() const {
    if (op_.operands.empty() || !op_.results.empty() || !op_.regions.empty())
      return "stores a value, has no results";
    const Buffer& b = k_.buffers[static_cast<size_t>(op_.buffer)];
    if (std::string error = Access(1, 1, In(0)); !error.empty()) return error;
    if (op_.async && (b.space != Space::kTask || op_.masked))
      return "asynchronous stores are of whole tiles, to task buffers";
    if (b.space == Space::kConstant) return "writes constant data";
    if (!b.written) return "the buffer is not marked as written";
    bool rows = In(0).rows == 1, cols = In(0).cols == 1;
    for (size_t d = 0; d < op_.steps.size(); ++d) {
      rows = rows || op_.steps[d].rows != 0 || In(1 + d).rows > 1;
      cols = cols || op_.steps[d].cols != 0 || In(1 + d).cols > 1;
    }
    return rows && cols ? "" : "several elements of the tile go to one place";
  }

  std::string Reduce() const {
    const size_t n = op_.operands.size();
    if (n == 0 || op_.results.size() != n || op_.regions.size() != 1)
      return "needs as many results as operands, a region";
    const Block& block = op_.regions[0];
    if (block.args.size() != 2 * n || block.yield.size() != n)
      return "the combiner takes two and yields one of each";
    for (size_t i = 0; i < n; ++i) {
      Type want = In(i);
      if (want.rows != In(0).rows || want.cols != In(0).cols || want.layout != In(0).layout)
        return "operands differ";
      (op_.axis == Axis::kRows ? want.rows : want.cols) = 1;
      if (want.is_scalar()) want.layout = 0;
      if (Out(i) != want) return Format("result {} is not {}", Text(Out(i)), Text(want));
      const Type scalar{want.elem};
      for (Value v : {block.args[i], block.args[n + i], block.yield[i]}) {
        if (k_.type(v) != scalar)
          return "the combiner is not of scalars of the operands' element types";
      }
    }
    for (const Op& inner : block.ops) {
      if (!IsPointwise(inner.code) && inner.code != OpCode::kConst)
        return "the combiner is not pointwise";
      for (const Values* values : {&inner.operands, &inner.results}) {
        for (Value v : *values) {
          if (!k_.type(v).is_scalar()) return "the combiner is not of scalars";
        }
      }
    }
    return "";
  }
  std::string Transpose() const {
    if (std::string error = Counts(1, 1); !error.empty()) return error;
    bool swapped = In(0).elem == Out().elem && In(0).rows == Out().cols && In(0).cols == Out().rows;
    return swapped ? "" : Format("{} transposed is not {}", Text(In(0)), Text(Out()));
  }
  // Without layouts every tile's are the same. With them, a thread that holds a pair of columns of
  // the whole holds each half's element of that pair: one more register, innermost.
  bool HalfOf(const Type& half, const Type& whole) const {
    if (half.elem != whole.elem || half.rows != whole.rows || 2 * half.cols != whole.cols)
      return false;
    if (whole.layout == 0) return half.layout == 0;
    return LayoutOf(k_, whole) == Doubled(LayoutOf(k_, half));
  }
  std::string Interleave() const {
    if (std::string error = Counts(2, 1); !error.empty()) return error;
    return HalfOf(In(0), Out()) && HalfOf(In(1), Out()) && In(0) == In(1)
               ? ""
               : "the result does not have the columns of both";
  }
  std::string Deinterleave() const {
    if (std::string error = Counts(1, 2); !error.empty()) return error;
    return HalfOf(Out(0), In(0)) && HalfOf(Out(1), In(0)) && Out(0) == Out(1)
               ? ""
               : "the results do not have half the columns";
  }
  std::string Pack() const {
    if (std::string error = Counts(1, 1); !error.empty()) return error;
    const Type &in = In(0), &out = Out();
    const int bits = BitWidth(in.elem);
    if (in.elem == ElementType::PRED || (bits != 8 && bits != 16)) return NotOf(in.elem);
    if (out.elem != ElementType::U32 && out.elem != ElementType::S32) return NotOf(out.elem);
    if (in.layout != 0 || out.layout != 0) return "has no layout";
    return in.rows == out.rows && in.cols * bits == out.cols * 32
               ? ""
               : Format("{} is not the words of {}", Text(out), Text(in));
  }
  std::string Relayout() const {
    if (std::string error = Counts(1, 1); !error.empty()) return error;
    Type want = In(0);
    want.layout = Out().layout;
    return Out() == want ? "" : Format("{} is another tile than {}", Text(Out()), Text(In(0)));
  }

  std::string Dot() const {
    if (std::string error = Counts(3, 1); !error.empty()) return error;
    const Type &a = In(0), &b = In(1), &sum = In(2);
    if (Out() != sum) return "the sum is of another type";
    if (IsWord(a.elem)) {
      if (k_.warps > 0) return "words are not multiplied on a GPU";
      if (!IsWord(b.elem)) return NotOf(b.elem);
      const bool halves = a.elem == ElementType::U32 && b.elem == ElementType::U32;
      if (sum.elem != ElementType::S32 && (sum.elem != ElementType::F32 || !halves))
        return "the sum is of another type";
    } else {
      if (!IsDotOperand(a.elem) || b.elem != a.elem) return NotOf(a.elem);
      if (sum.elem != DotSum(a.elem)) return "the sum is of another type";
    }
    if (a.cols != b.rows || a.rows != sum.rows || b.cols != sum.cols)
      return Format("{} by {} is not {}", Text(a), Text(b), Text(sum));
    if (k_.warps == 0) return "";
    const auto fragments = FragmentsOf(sum.rows, sum.cols, a.cols, a.elem, k_.warps);
    if (!fragments) return "the extents are no multiples of a fragment's";
    return LayoutOf(k_, a) == fragments->left && LayoutOf(k_, b) == fragments->right &&
                   LayoutOf(k_, sum) == fragments->sum
               ? ""
               : "operands are not in their fragments";
  }

  // CPU: native vectors. With layouts: 32-bit registers of a thread.
  int64_t Registers(const Type& t) const {
    if (k_.warps == 0) return static_cast<int64_t>(t.rows) * ((t.cols + k_.lanes - 1) / k_.lanes);
    return HeldElements(k_, t) * ((ByteWidth(t.elem) + 3) / 4);
  }
  // What carries may take: a thread has 255 registers, a multiprocessor 65536; 40 are for the rest.
  int64_t RegisterLimit() const {
    if (k_.warps == 0) return 31;
    return std::min(160, 65536 / (k_.warps * kWarpLanes) - 40);
  }
  // Whether a carry is what products of words are added to: that is in registers of its own kind.
  bool IsSumOfWords(Value carry) const {
    return op_.code == OpCode::kFor &&
           std::any_of(op_.regions[0].ops.begin(), op_.regions[0].ops.end(), [&](const Op& op) {
             return op.code == OpCode::kDot && op.operands[2] == carry &&
                    IsWord(k_.type(op.operands[0]).elem);
           });
  }
  // The types of `carries`, operands from `first` on, are those of the results, of `args` and of
  // `yield`.
  std::string Carries(size_t first, const Values& args, size_t first_arg,
                      const Values& yield) const {
    const size_t n = op_.results.size();
    if (op_.operands.size() != first + n || args.size() != first_arg + n || yield.size() != n) {
      return "operands, results, arguments and yielded values differ in number";
    }
    int64_t registers = 0;
    for (size_t i = 0; i < n; ++i) {
      const Type& t = In(first + i);
      if (Out(i) != t || k_.type(args[first_arg + i]) != t || k_.type(yield[i]) != t) {
        return Format("the type {} of carry {} changes", Text(t), i);
      }
      // Scalars of a CPU that have no register are on the stack, which costs little.
      if ((k_.warps != 0 || t.rows * t.cols > 1) && !IsSumOfWords(args[first_arg + i]))
        registers += Registers(t);
    }
    // Loops of elements on CPUs rather keep some of them in memory than have fewer side by side.
    const bool may_spill = op_.code == OpCode::kWhile && k_.warps == 0;
    if (may_spill || registers <= RegisterLimit()) return "";
    return Format("the carries need {} {} of {}", registers,
                  k_.warps == 0 ? "vector registers" : "registers", RegisterLimit());
  }
  std::string For() const {
    if (op_.operands.size() < 2 || op_.regions.size() != 1) return "needs bounds and a body";
    if (In(0) != kIndexType || In(1) != kIndexType) return "bounds are not index scalars";
    if (op_.int_value < 1) return "the step is not positive";
    const Block& body = op_.regions[0];
    if (body.args.empty() || k_.type(body.args[0]) != kIndexType)
      return "the body takes no index scalar";
    if (op_.loop == LoopKind::kPar && !op_.results.empty())
      return "a parallel loop carries nothing";
    return Carries(2, body.args, 1, body.yield);
  }
  std::string While() const {
    if (op_.regions.size() != 2) return "needs a condition and a body";
    const Block &test = op_.regions[0], &body = op_.regions[1];
    if (test.yield.size() != 1 || k_.type(test.yield[0]) != Type{ElementType::PRED}) {
      return "the condition does not yield a scalar predicate";
    }
    if (test.args.size() != op_.results.size()) return "the condition does not take the carries";
    for (size_t i = 0; i < test.args.size(); ++i) {
      if (k_.type(test.args[i]) != Out(i)) return "the condition does not take the carries";
    }
    return Carries(0, body.args, 0, body.yield);
  }
  std::string If() const {
    if (op_.operands.size() != 1 || op_.regions.size() != 2)
      return "needs a condition and two regions";
    if (In(0) != Type{ElementType::PRED}) return "the condition is not a scalar predicate";
    for (const Block& region : op_.regions) {
      if (!region.args.empty()) return "its regions take no arguments";
      if (region.yield.size() != op_.results.size()) return "a region does not yield the results";
      for (size_t i = 0; i < region.yield.size(); ++i) {
        if (k_.type(region.yield[i]) != Out(i))
          return Format("yields {} for {}", Text(k_.type(region.yield[i])), Text(Out(i)));
      }
    }
    return "";
  }

  const Kernel& k_;
  const Op& op_;
};

}  // namespace

bool IsValueElement(ElementType elem) {
  switch (elem) {
    case ElementType::PRED:
    case ElementType::BF16:
    case ElementType::F16:
    case ElementType::F32:
    case ElementType::F64:
      return true;
    default:
      return IsInteger(elem) && BitWidth(elem) >= 8;
  }
}

std::string TypeError(const Kernel& kernel, const Op& op) {
  return TypeChecker(kernel, op).Check();
}

}  // namespace sinter::kernel
