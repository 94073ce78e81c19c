#include <bit>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include "absl/types/span.h"
#include "base/status.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/words.h"

namespace sinter::kernel {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Kernel> All() {
    RETURN_IF_ERROR(Must("kernel"));
    ASSIGN_OR_RETURN(k_.name, NameOrQuoted());
    RETURN_IF_ERROR(Must("lanes"));
    ASSIGN_OR_RETURN(k_.lanes, Int<int>());
    if (EatWord("warps")) {
      ASSIGN_OR_RETURN(k_.warps, Int<int>());
    }
    RETURN_IF_ERROR(Must("{"));
    while (!Eat("}")) {
      if (EatWord("layout")) {
        RETURN_IF_ERROR(ParseLayout());
      } else if (EatWord("param")) {
        RETURN_IF_ERROR(ParseParam());
      } else if (EatWord("buffer")) {
        RETURN_IF_ERROR(ParseBuffer());
      } else {
        ASSIGN_OR_RETURN(Op op, ParseOp(0));
        k_.top.ops.push_back(std::move(op));
      }
    }
    Space();
    if (at_ < text_.size()) return Error("expected nothing after the kernel");
    return std::move(k_);
  }

 private:
  // --- characters

  absl::Status Error(std::string_view message) const {
    size_t line = 1;
    for (char c : text_.substr(0, at_)) line += c == '\n';
    std::string_view rest = text_.substr(at_);
    return InvalidArgument("line {}: {}, before '{}'", line, message,
                           rest.substr(0, rest.substr(0, 24).find('\n')));
  }
  void Space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Eat(std::string_view token) {
    Space();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool EatWord(std::string_view word) {
    size_t start = at_;
    if (Eat(word) && (at_ == text_.size() || !IsNameChar(text_[at_]))) return true;
    at_ = start;
    return false;
  }
  absl::Status Must(std::string_view token) {
    return Eat(token) ? absl::OkStatus() : Error(Format("expected '{}'", token));
  }
  // Letters and digits, up to a dot.
  std::string_view Word() {
    Space();
    size_t start = at_;
    while (at_ < text_.size() && (IsLetter(text_[at_]) || (text_[at_] >= '0' && text_[at_] <= '9')))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view FullName() {
    Space();
    size_t start = at_;
    while (at_ < text_.size() && IsNameChar(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  template <class T>
  absl::StatusOr<T> Int(int base = 10) {
    Space();
    T value{};
    const char* end = text_.data() + text_.size();
    auto [next, error] = std::from_chars(text_.data() + at_, end, value, base);
    if (error != std::errc()) return Error("expected an integer");
    at_ = static_cast<size_t>(next - text_.data());
    return value;
  }
  template <class T>
  absl::StatusOr<double> Float() {
    T value{};
    const char* end = text_.data() + text_.size();
    auto [next, error] = std::from_chars(text_.data() + at_, end, value);
    if (error != std::errc()) return Error("expected a number");
    at_ = static_cast<size_t>(next - text_.data());
    return static_cast<double>(value);
  }
  template <class Enum, size_t N>
  absl::StatusOr<Enum> OneOf(const std::string_view (&words)[N]) {
    std::string_view word = Word();
    for (size_t i = 0; i < N; ++i) {
      if (words[i] == word) return static_cast<Enum>(i);
    }
    return Error(Format("unknown word '{}'", word));
  }
  absl::StatusOr<std::string> Quoted() {
    RETURN_IF_ERROR(Must("\""));
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_.substr(at_, 2) == "\\x" && at_ + 4 <= text_.size()) {
        ASSIGN_OR_RETURN(uint8_t byte, HexByte(at_ + 2));
        out += static_cast<char>(byte);
        at_ += 4;
      } else {
        out += text_[at_++];
      }
    }
    RETURN_IF_ERROR(Must("\""));
    return out;
  }
  absl::StatusOr<std::string> NameOrQuoted() {
    Space();
    if (at_ < text_.size() && text_[at_] == '"') return Quoted();
    return std::string(FullName());
  }
  absl::StatusOr<uint8_t> HexByte(size_t at) const {
    uint8_t byte = 0;
    const char* start = text_.data() + at;
    if (at + 2 > text_.size() || std::from_chars(start, start + 2, byte, 16).ptr != start + 2) {
      return Error("expected two hexadecimal digits");
    }
    return byte;
  }

  // --- values and types

  absl::StatusOr<ElementType> Elem() {
    std::string_view word = Word();
    if (std::optional<ElementType> elem = Lookup(word)) return *elem;
    return Error(Format("unknown element type '{}'", word));
  }
  static std::optional<ElementType> Lookup(std::string_view word) {
    for (int i = 0; i < kElementTypeCount; ++i) {
      if (Name(static_cast<ElementType>(i)) == word) return static_cast<ElementType>(i);
    }
    return std::nullopt;
  }
  absl::StatusOr<Type> ParseType() {
    Type type;
    ASSIGN_OR_RETURN(type.elem, Elem());
    if (at_ >= text_.size() || text_[at_] != '[') return type;
    ++at_;
    ASSIGN_OR_RETURN(type.rows, Int<int>());
    RETURN_IF_ERROR(Must("x"));
    ASSIGN_OR_RETURN(type.cols, Int<int>());
    if (Eat("#")) {
      ASSIGN_OR_RETURN(type.layout, Int<int>());
    }
    RETURN_IF_ERROR(Must("]"));
    return type;
  }
  absl::StatusOr<Value> Use() {
    RETURN_IF_ERROR(Must("%"));
    std::string_view name = FullName();
    auto it = values_.find(name);
    if (it == values_.end()) return Error(Format("value %{} is not defined", name));
    return it->second;
  }
  absl::StatusOr<Value> Define(std::string_view name, Type type) {
    Value v = static_cast<Value>(k_.types.size());
    if (name.empty()) return Error("expected a name");
    if (!values_.emplace(name, v).second) return Error(Format("value %{} is defined twice", name));
    k_.types.push_back(type);
    return v;
  }
  absl::StatusOr<Value> Def() {
    RETURN_IF_ERROR(Must("%"));
    std::string_view name = FullName();
    RETURN_IF_ERROR(Must(":"));
    ASSIGN_OR_RETURN(Type type, ParseType());
    return Define(name, type);
  }
  bool AtValue() {
    Space();
    return at_ < text_.size() && text_[at_] == '%';
  }
  absl::StatusOr<Values> List(absl::StatusOr<Value> (Parser::*item)()) {
    Values values;
    if (!AtValue()) return values;
    do {
      ASSIGN_OR_RETURN(Value v, (this->*item)());
      values.push_back(v);
    } while (Eat(","));
    return values;
  }
  absl::StatusOr<Values> Bracketed() {
    RETURN_IF_ERROR(Must("["));
    ASSIGN_OR_RETURN(Values values, List(&Parser::Use));
    RETURN_IF_ERROR(Must("]"));
    return values;
  }

  // --- declarations

  absl::Status ParseLayout() {
    RETURN_IF_ERROR(Must("#"));
    ASSIGN_OR_RETURN(size_t index, Int<size_t>());
    if (index != k_.layouts.size()) return Error("layouts are numbered in order");
    Layout layout;
    for (int axis = 0; axis < 2; ++axis) {
      RETURN_IF_ERROR(Must(kAxisWords[axis]));
      RETURN_IF_ERROR(Must("["));
      while (!Eat("]")) {
        if (!layout.axes[axis].empty()) RETURN_IF_ERROR(Must(","));
        Factor f;
        ASSIGN_OR_RETURN(f.dim, OneOf<HardwareDim>(kHardwareDimWords));
        ASSIGN_OR_RETURN(f.extent, Int<int>());
        if (EatWord("stride")) {
          ASSIGN_OR_RETURN(f.stride, Int<int>());
        }
        layout.axes[axis].push_back(f);
      }
    }
    k_.layouts.push_back(std::move(layout));
    return absl::OkStatus();
  }
  absl::Status ParseParam() {
    Param p;
    RETURN_IF_ERROR(Must("%"));
    std::string_view name = FullName();
    p.name = std::string(name);
    ASSIGN_OR_RETURN(p.value, Define(name, kIndexType));
    Space();
    if (at_ < text_.size() && text_[at_] == '"') {
      ASSIGN_OR_RETURN(p.name, Quoted());
    }
    ASSIGN_OR_RETURN(p.lo, Int<int64_t>());
    RETURN_IF_ERROR(Must(".."));
    ASSIGN_OR_RETURN(p.hi, Int<int64_t>());
    if (EatWord("multiple")) {
      ASSIGN_OR_RETURN(p.multiple, Int<int64_t>());
    }
    k_.params.push_back(std::move(p));
    return absl::OkStatus();
  }
  absl::Status ParseBuffer() {
    Buffer b;
    RETURN_IF_ERROR(Must("@"));
    std::string_view name = FullName();
    b.name = std::string(name);
    if (!buffers_.emplace(name, static_cast<int>(k_.buffers.size())).second) {
      return Error(Format("buffer @{} is declared twice", name));
    }
    Space();
    if (at_ < text_.size() && text_[at_] == '"') {
      ASSIGN_OR_RETURN(b.name, Quoted());
    }
    ASSIGN_OR_RETURN(b.elem, Elem());
    ASSIGN_OR_RETURN(b.space, OneOf<enum Space>(kSpaceWords));
    ASSIGN_OR_RETURN(b.shape, Bracketed());
    ASSIGN_OR_RETURN(b.strides, Bracketed());
    b.written = EatWord("written");
    if (EatWord("alias")) {
      ASSIGN_OR_RETURN(b.alias_group, Int<int>());
    }
    if (EatWord("data")) {
      Space();
      while (at_ < text_.size() && text_[at_] != '\n') {
        ASSIGN_OR_RETURN(uint8_t byte, HexByte(at_));
        b.data.push_back(byte);
        at_ += 2;
      }
    }
    k_.buffers.push_back(std::move(b));
    return absl::OkStatus();
  }

  // --- operations

  absl::StatusOr<OpCode> Code() {
    std::string_view word = Word();
    for (int i = 0; i < kOpCodeCount; ++i) {
      if (Name(static_cast<OpCode>(i)) == word) return static_cast<OpCode>(i);
    }
    return Error(Format("unknown operation '{}'", word));
  }
  // The signed coefficients of r and c after an index.
  absl::StatusOr<Step> ParseStep() {
    Step step;
    while (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) {
      int sign = text_[at_++] == '-' ? -1 : 1, size = 1;
      if (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        ASSIGN_OR_RETURN(size, Int<int>());
      }
      if (Eat("r")) {
        step.rows = sign * size;
      } else {
        RETURN_IF_ERROR(Must("c"));
        step.cols = sign * size;
      }
    }
    return step;
  }
  absl::Status ParseAccess(Op& op) {
    RETURN_IF_ERROR(Must("@"));
    std::string_view name = FullName();
    auto it = buffers_.find(name);
    if (it == buffers_.end()) return Error(Format("buffer @{} is not declared", name));
    op.buffer = it->second;
    RETURN_IF_ERROR(Must("["));
    while (!Eat("]")) {
      if (!op.steps.empty()) RETURN_IF_ERROR(Must(","));
      ASSIGN_OR_RETURN(Value base, Use());
      ASSIGN_OR_RETURN(Step step, ParseStep());
      op.operands.push_back(base);
      op.steps.push_back(step);
    }
    if (!EatWord("mask")) return absl::OkStatus();
    op.masked = true;
    ASSIGN_OR_RETURN(Value mask, Use());
    op.operands.push_back(mask);
    if (op.code == OpCode::kLoad) {
      RETURN_IF_ERROR(Must("else"));
      ASSIGN_OR_RETURN(Value otherwise, Use());
      op.operands.push_back(otherwise);
    }
    return absl::OkStatus();
  }
  absl::Status ParseConst(Op& op) {
    if (op.results.size() != 1) return Error("a constant has one result");
    ElementType elem = k_.type(op.results[0]).elem;
    if (!IsFloat(elem)) {
      ASSIGN_OR_RETURN(op.int_value, Int<int64_t>());
      return absl::OkStatus();
    }
    if (Eat("nan:")) {
      ASSIGN_OR_RETURN(uint64_t bits, Int<uint64_t>(16));
      op.float_value = std::bit_cast<double>(bits);
      return absl::OkStatus();
    }
    // A short decimal of an F32 names the float, not the double, nearest to it.
    Space();
    ASSIGN_OR_RETURN(op.float_value, elem == ElementType::F64 ? Float<double>() : Float<float>());
    return absl::OkStatus();
  }
  absl::Status ParseAttributes(Op& op) {
    switch (op.code) {
      case OpCode::kConst:
        return ParseConst(op);
      case OpCode::kLoad: {
        if (Eat(".ahead")) {
          ASSIGN_OR_RETURN(op.int_value, Int<int64_t>());
        }
        return ParseAccess(op);
      }
      case OpCode::kStore: {
        op.non_temporal = Eat(".nt");
        op.async = Eat(".async");
        ASSIGN_OR_RETURN(Value x, Use());
        op.operands.push_back(x);
        RETURN_IF_ERROR(Must(","));
        return ParseAccess(op);
      }
      case OpCode::kWait: {
        ASSIGN_OR_RETURN(op.int_value, Int<int64_t>());
        return absl::OkStatus();
      }
      case OpCode::kCmp: {
        RETURN_IF_ERROR(Must("."));
        ASSIGN_OR_RETURN(op.predicate, OneOf<Predicate>(kPredicateWords));
        break;
      }
      case OpCode::kCvt:
      case OpCode::kLdexp:
        op.in_range = Eat(".inrange");
        break;
      case OpCode::kIota:
      case OpCode::kMask:
      case OpCode::kReduce: {
        RETURN_IF_ERROR(Must("."));
        ASSIGN_OR_RETURN(op.axis, OneOf<Axis>(kAxisWords));
        break;
      }
      case OpCode::kFor: {
        RETURN_IF_ERROR(Must("."));
        ASSIGN_OR_RETURN(op.loop, OneOf<LoopKind>(kLoopWords));
        RETURN_IF_ERROR(Must("."));
        ASSIGN_OR_RETURN(op.tail, OneOf<Tail>(kTailWords));
        ASSIGN_OR_RETURN(op.int_value, Int<int64_t>());
        break;
      }
      default:
        break;
    }
    if (op.code == OpCode::kIota) return absl::OkStatus();
    // A line that ends after the name of an operation without operands is followed by the next
    // line's results.
    size_t line_end = text_.find('\n', at_);
    if (text_.substr(at_, line_end - at_).find('%') == std::string_view::npos)
      return absl::OkStatus();
    ASSIGN_OR_RETURN(op.operands, List(&Parser::Use));
    return absl::OkStatus();
  }
  absl::StatusOr<Op> ParseOp(int depth) {
    if (depth > kMaxRegionDepth) return Error("regions are nested too deeply");
    Op op;
    if (AtValue()) {
      ASSIGN_OR_RETURN(op.results, List(&Parser::Def));
      RETURN_IF_ERROR(Must("="));
    }
    ASSIGN_OR_RETURN(op.code, Code());
    RETURN_IF_ERROR(ParseAttributes(op));
    while (Eat("{")) {
      ASSIGN_OR_RETURN(Block block, ParseRegion(depth));
      op.regions.push_back(std::move(block));
    }
    return op;
  }
  absl::StatusOr<Block> ParseRegion(int depth) {
    Block block;
    if (Eat("(")) {
      ASSIGN_OR_RETURN(block.args, List(&Parser::Def));
      RETURN_IF_ERROR(Must(")"));
    }
    while (!EatWord("yield")) {
      ASSIGN_OR_RETURN(Op op, ParseOp(depth + 1));
      block.ops.push_back(std::move(op));
    }
    ASSIGN_OR_RETURN(block.yield, List(&Parser::Use));
    RETURN_IF_ERROR(Must("}"));
    return block;
  }

  std::string_view text_;
  size_t at_ = 0;
  Kernel k_;
  std::map<std::string_view, Value> values_;
  std::map<std::string_view, int> buffers_;
};

}  // namespace

absl::StatusOr<Kernel> Parse(std::string_view text) { return Parser(text).All(); }

}  // namespace sinter::kernel
