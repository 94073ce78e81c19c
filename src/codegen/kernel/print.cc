#include <bit>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/words.h"

namespace sinter::kernel {
namespace {

bool IsPlainName(std::string_view name) {
  if (name.empty() || !IsLetter(name[0])) return false;
  for (char c : name) {
    if (!IsNameChar(c)) return false;
  }
  return true;
}

std::string Quoted(std::string_view name) {
  std::string out = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += Format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string NameOrQuoted(std::string_view name) {
  return IsPlainName(name) ? std::string(name) : Quoted(name);
}

// The shortest decimal that reads back as the same value of the type; NaN by its bits.
std::string FloatText(ElementType elem, double x) {
  if (std::isnan(x)) return Format("nan:{:016x}", std::bit_cast<uint64_t>(x));
  if (elem != ElementType::F64 && static_cast<double>(static_cast<float>(x)) == x) {
    return Format("{}", static_cast<float>(x));
  }
  return Format("{}", x);
}

template <size_t N, class Enum>
std::string_view Word(const std::string_view (&words)[N], Enum e) {
  return static_cast<size_t>(e) < N ? words[static_cast<size_t>(e)] : "?";
}

class Printer {
 public:
  explicit Printer(const Kernel& kernel) : k_(kernel), names_(kernel.types.size()) { NameAll(); }

  std::string All() {
    out_ = Format("kernel {} lanes {} ", NameOrQuoted(k_.name), k_.lanes);
    if (k_.warps != 0) out_ += Format("warps {} ", k_.warps);
    out_ += "{\n";
    for (size_t i = 1; i < k_.layouts.size(); ++i) PrintLayout(i);
    for (const Param& p : k_.params) PrintParam(p);
    // Buffers name values of the prelude, so they stand between it and the stages.
    size_t i = 0;
    const std::vector<Op>& ops = k_.top.ops;
    while (i < ops.size() && ops[i].regions.empty() && ops[i].buffer < 0) PrintOp(ops[i++]);
    for (size_t b = 0; b < k_.buffers.size(); ++b) PrintBuffer(b);
    while (i < ops.size()) PrintOp(ops[i++]);
    return std::move(out_) + "}\n";
  }

  std::string One(const Op& op) {
    Head(op);
    return std::move(out_);
  }

 private:
  // Parameters have their names; index constants c (or, below zero, m) and their absolute value;
  // other values numbers in the order of the text.
  void NameAll() {
    for (const Param& p : k_.params) Claim(p.value, IsPlainName(p.name) ? p.name : "");
    NameBlock(k_.top);
    std::set<std::string_view> seen;
    for (size_t i = 0; i < k_.buffers.size(); ++i) {
      const std::string& name = k_.buffers[i].name;
      bool plain = IsPlainName(name) && seen.insert(name).second;
      buffer_names_.push_back(plain ? "@" + name : Format("@{}", i));
    }
  }
  void NameBlock(const Block& block) {
    for (Value v : block.args) Claim(v, "");
    for (const Op& op : block.ops) {
      bool index = op.code == OpCode::kConst && op.results.size() == 1 && IsValue(op.results[0]) &&
                   k_.type(op.results[0]) == kIndexType;
      for (Value v : op.results) Claim(v, index ? ConstName(op.int_value) : "");
      for (const Block& region : op.regions) NameBlock(region);
    }
  }
  static std::string ConstName(int64_t x) {
    return x < 0 ? Format("m{}", -static_cast<uint64_t>(x)) : Format("c{}", x);
  }
  bool IsValue(Value v) const { return v >= 0 && static_cast<size_t>(v) < names_.size(); }
  void Claim(Value v, std::string wish) {
    if (!IsValue(v)) return;
    if (wish.empty() || !taken_.insert(wish).second) wish = Format("{}", next_++);
    names_[static_cast<size_t>(v)] = std::move(wish);
  }

  void Use(Value v) {
    bool known = IsValue(v) && !names_[static_cast<size_t>(v)].empty();
    out_ += known ? "%" + names_[static_cast<size_t>(v)] : Format("%?{}", v);
  }
  void Uses(absl::Span<const Value> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      Use(values[i]);
    }
  }
  void Defs(absl::Span<const Value> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ", ";
      Use(values[i]);
      if (IsValue(values[i])) out_ += ":" + TypeText(k_.type(values[i]));
    }
  }
  static std::string TypeText(Type t) {
    std::string s(Name(t.elem));
    if (t.is_scalar() && t.layout == 0) return s;
    s += Format("[{}x{}", t.rows, t.cols);
    return s + (t.layout != 0 ? Format(" #{}]", t.layout) : "]");
  }
  std::string BufferName(int buffer) const {
    bool known = buffer >= 0 && static_cast<size_t>(buffer) < buffer_names_.size();
    return known ? buffer_names_[static_cast<size_t>(buffer)] : Format("@?{}", buffer);
  }

  void PrintLayout(size_t index) {
    out_ += Format("  layout #{}", index);
    for (int axis = 0; axis < 2; ++axis) {
      out_ += Format(" {} [", kAxisWords[axis]);
      bool first = true;
      for (const Factor& f : k_.layouts[index].axes[axis]) {
        if (!std::exchange(first, false)) out_ += ", ";
        out_ += Format("{} {}", Word(kHardwareDimWords, f.dim), f.extent);
        if (f.stride != 1) out_ += Format(" stride {}", f.stride);
      }
      out_ += "]";
    }
    out_ += "\n";
  }
  void PrintParam(const Param& p) {
    out_ += "  param ";
    Use(p.value);
    if (!IsValue(p.value) || names_[static_cast<size_t>(p.value)] != p.name)
      out_ += " " + Quoted(p.name);
    out_ += Format(" {}..{}", p.lo, p.hi);
    if (p.multiple != 1) out_ += Format(" multiple {}", p.multiple);
    out_ += "\n";
  }
  void PrintBuffer(size_t index) {
    const Buffer& b = k_.buffers[index];
    out_ += "  buffer " + buffer_names_[index];
    if (buffer_names_[index].substr(1) != b.name) out_ += " " + Quoted(b.name);
    out_ += Format(" {} {} [", Name(b.elem), Word(kSpaceWords, b.space));
    Uses(b.shape);
    out_ += "] [";
    Uses(b.strides);
    out_ += "]";
    if (b.written) out_ += " written";
    if (b.alias_group >= 0) out_ += Format(" alias {}", b.alias_group);
    if (!b.data.empty()) {
      static constexpr char kDigits[] = "0123456789abcdef";
      out_ += " data ";
      for (uint8_t byte : b.data) {
        out_ += kDigits[byte >> 4];
        out_ += kDigits[byte & 15];
      }
    }
    out_ += "\n";
  }

  static std::string StepText(int step, char axis) {
    if (step == 0) return "";
    std::string s = step < 0 ? "-" : "+";
    if (step != 1 && step != -1) s += Format("{}", step < 0 ? -static_cast<int64_t>(step) : step);
    return s + axis;
  }
  // `from` is the first index operand of `op`.
  void PrintAccess(const Op& op, size_t from) {
    out_ += BufferName(op.buffer) + "[";
    size_t rank = op.steps.size();
    for (size_t d = 0; d < rank; ++d) {
      if (d > 0) out_ += ", ";
      Use(from + d < op.operands.size() ? op.operands[from + d] : kNone);
      out_ += StepText(op.steps[d].rows, 'r') + StepText(op.steps[d].cols, 'c');
    }
    out_ += "]";
    const char* words[] = {" mask ", " else "};
    for (size_t i = from + rank, w = 0; i < op.operands.size(); ++i, ++w) {
      out_ += w < 2 ? words[w] : " ? ";
      Use(op.operands[i]);
    }
  }

  void Head(const Op& op) {
    if (!op.results.empty()) {
      Defs(op.results);
      out_ += " = ";
    }
    out_ += Name(op.code);
    switch (op.code) {
      case OpCode::kConst:
        return PrintConst(op);
      case OpCode::kLoad:
        out_ += op.int_value != 0 ? Format(".ahead {} ", op.int_value) : " ";
        return PrintAccess(op, 0);
      case OpCode::kStore:
        out_ += op.non_temporal ? ".nt" : "";
        out_ += op.async ? ".async " : " ";
        Use(op.operands.empty() ? kNone : op.operands[0]);
        out_ += ", ";
        return PrintAccess(op, 1);
      case OpCode::kWait:
        out_ += Format(" {}", op.int_value);
        break;
      case OpCode::kCmp:
        out_ += Format(".{}", Word(kPredicateWords, op.predicate));
        break;
      case OpCode::kCvt:
      case OpCode::kLdexp:
        out_ += op.in_range ? ".inrange" : "";
        break;
      case OpCode::kIota:
      case OpCode::kMask:
      case OpCode::kReduce:
        out_ += Format(".{}", Word(kAxisWords, op.axis));
        break;
      case OpCode::kFor:
        out_ +=
            Format(".{}.{} {}", Word(kLoopWords, op.loop), Word(kTailWords, op.tail), op.int_value);
        break;
      default:
        break;
    }
    if (!op.operands.empty()) out_ += " ";
    Uses(op.operands);
  }
  void PrintConst(const Op& op) {
    bool is_float =
        op.results.size() == 1 && IsValue(op.results[0]) && IsFloat(k_.type(op.results[0]).elem);
    out_ += " ";
    out_ += is_float ? FloatText(k_.type(op.results[0]).elem, op.float_value)
                     : Format("{}", op.int_value);
  }
  void PrintOp(const Op& op) {
    out_ += indent_;
    Head(op);
    for (const Block& region : op.regions) PrintRegion(region);
    out_ += "\n";
  }
  void PrintRegion(const Block& block) {
    out_ += " {";
    if (!block.args.empty()) {
      out_ += " (";
      Defs(block.args);
      out_ += ")";
    }
    out_ += "\n";
    indent_ += "  ";
    for (const Op& op : block.ops) PrintOp(op);
    out_ += indent_ + "yield";
    if (!block.yield.empty()) out_ += " ";
    Uses(block.yield);
    indent_.resize(indent_.size() - 2);
    out_ += "\n" + indent_ + "}";
  }

  const Kernel& k_;
  std::vector<std::string> names_;  // of values, without %; empty where nothing defines them
  std::vector<std::string> buffer_names_;
  std::set<std::string> taken_;
  int next_ = 0;
  std::string out_;
  std::string indent_ = "  ";
};

}  // namespace

std::string Print(const Kernel& kernel) { return Printer(kernel).All(); }

std::string Print(const Kernel& kernel, const Op& op) { return Printer(kernel).One(op); }

}  // namespace sinter::kernel
