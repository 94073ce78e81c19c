#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/status.h"
#include "sinter/custom_call.h"

namespace sinter {
namespace {

using Value = CustomCallAttributes::Value;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool Accept(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  absl::Status Expect(std::string_view token) {
    if (Accept(token)) return absl::OkStatus();
    return Error(Format("expected '{}'", token));
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  absl::Status Error(std::string_view what) const {
    return InvalidArgument("attributes, character {}: {}", at_ + 1, what);
  }

  // Letters, digits and "_.$" or, quoted, anything.
  absl::StatusOr<std::string> ReadName() {
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '"') return ReadString();
    size_t begin = at_;
    while (at_ < text_.size() && IsNameCharacter(text_[at_])) ++at_;
    if (at_ == begin) return Error("expected a name");
    return std::string(text_.substr(begin, at_ - begin));
  }

  absl::StatusOr<Value> ReadValue() {
    SkipSpace();
    if (at_ == text_.size()) return Error("expected a value");
    if (text_[at_] == '"') {
      ASSIGN_OR_RETURN(std::string text, ReadString());
      return Value(std::move(text));
    }
    if (Accept("[")) return ReadList("]");
    if (Accept("array<")) {
      ASSIGN_OR_RETURN(std::string type, ReadName());
      bool real = type.starts_with("f") || type.starts_with("bf");
      if (Accept(">")) {
        return real ? Value(std::vector<double>()) : Value(std::vector<int64_t>());
      }
      RETURN_IF_ERROR(Expect(":"));
      ASSIGN_OR_RETURN(Value list, ReadList(">"));
      if (auto* whole = std::get_if<std::vector<int64_t>>(&list); whole != nullptr && real)
        return Value(std::vector<double>(whole->begin(), whole->end()));
      return list;
    }
    ASSIGN_OR_RETURN(Value value, ReadScalar());
    return Typed(std::move(value));
  }

 private:
  static bool IsNameCharacter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
  }
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  absl::StatusOr<std::string> ReadString() {
    std::string out;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        char c = text_[at_];
        out += c == 'n' ? '\n' : c == 't' ? '\t' : c;
      } else {
        out += text_[at_];
      }
    }
    if (at_ == text_.size()) return Error("a string does not end");
    ++at_;
    return out;
  }

  absl::StatusOr<Value> ReadScalar() {
    SkipSpace();
    size_t begin = at_;
    while (at_ < text_.size() &&
           (IsNameCharacter(text_[at_]) || text_[at_] == '+' || text_[at_] == '-'))
      ++at_;
    std::string token(text_.substr(begin, at_ - begin));
    if (token == "true") return Value(true);
    if (token == "false") return Value(false);
    int64_t whole = 0;
    const char* end = token.data() + token.size();
    if (auto [p, e] = std::from_chars(token.data(), end, whole);
        e == std::errc() && p == end && !token.empty())
      return Value(whole);
    double real = 0;
    if (auto [p, e] = std::from_chars(token.data(), end, real);
        e == std::errc() && p == end && !token.empty())
      return Value(real);
    at_ = begin;
    return Error("expected true, false, a number, a string or a list");
  }

  // The type that may follow a number.
  absl::StatusOr<Value> Typed(Value value) {
    if (!Accept(":")) return value;
    ASSIGN_OR_RETURN(std::string type, ReadName());
    bool real = type.starts_with("f") || type.starts_with("bf");
    if (auto* whole = std::get_if<int64_t>(&value); whole != nullptr && real)
      return Value(static_cast<double>(*whole));
    if (std::holds_alternative<double>(value) && !real)
      return Error(Format("a fraction of type {}", type));
    return value;
  }

  absl::StatusOr<Value> ReadList(std::string_view close) {
    std::vector<int64_t> whole;
    std::vector<double> all;
    bool real = false;
    if (!Accept(close)) {
      do {
        ASSIGN_OR_RETURN(Value scalar, ReadScalar());
        ASSIGN_OR_RETURN(Value value, Typed(std::move(scalar)));
        if (auto* n = std::get_if<int64_t>(&value)) {
          whole.push_back(*n);
          all.push_back(static_cast<double>(*n));
        } else if (auto* x = std::get_if<double>(&value)) {
          real = true;
          all.push_back(*x);
        } else {
          return Error("a list of something else than numbers");
        }
      } while (Accept(","));
      RETURN_IF_ERROR(Expect(close));
    }
    return real ? Value(std::move(all)) : Value(std::move(whole));
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<CustomCallAttributes> CustomCallAttributes::Parse(std::string_view text) {
  CustomCallAttributes out;
  Reader reader(text);
  if (reader.AtEnd()) return out;
  RETURN_IF_ERROR(reader.Expect("{"));
  if (!reader.Accept("}")) {
    do {
      ASSIGN_OR_RETURN(std::string name, reader.ReadName());
      RETURN_IF_ERROR(reader.Expect("="));
      ASSIGN_OR_RETURN(Value value, reader.ReadValue());
      if (!out.values_.try_emplace(name, std::move(value)).second)
        return reader.Error(Format("{} a second time", name));
    } while (reader.Accept(","));
    RETURN_IF_ERROR(reader.Expect("}"));
  }
  if (!reader.AtEnd()) return reader.Error("text after the dictionary");
  return out;
}

absl::StatusOr<const Value*> CustomCallAttributes::Find(std::string_view name) const {
  auto found = values_.find(name);
  if (found == values_.end()) return InvalidArgument("there is no attribute {}", name);
  return &found->second;
}

absl::Status CustomCallAttributes::WrongKind(std::string_view name, std::string_view expected) {
  return InvalidArgument("attribute {}: expected {}", name, expected);
}

template <class T>
absl::StatusOr<T> CustomCallAttributes::Get(std::string_view name) const {
  ASSIGN_OR_RETURN(const Value* value, Find(name));
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    const auto* n = std::get_if<int64_t>(value);
    if (n == nullptr) return WrongKind(name, "an integer");
    if (static_cast<int64_t>(static_cast<T>(*n)) != *n || (std::is_unsigned_v<T> && *n < 0))
      return WrongKind(name, Format("an integer of {} bits", 8 * sizeof(T)));
    return static_cast<T>(*n);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (const auto* n = std::get_if<int64_t>(value)) return static_cast<T>(*n);
    const auto* x = std::get_if<double>(value);
    if (x == nullptr) return WrongKind(name, "a number");
    return static_cast<T>(*x);
  } else {
    if (const auto* x = std::get_if<T>(value)) return *x;
    if constexpr (std::is_same_v<T, std::vector<double>>) {
      if (const auto* whole = std::get_if<std::vector<int64_t>>(value))
        return T(whole->begin(), whole->end());
    }
    return WrongKind(name, std::is_same_v<T, bool>          ? "true or false"
                           : std::is_same_v<T, std::string> ? "a string"
                                                            : "a list of numbers");
  }
}

#define SINTER_INSTANTIATE(T) \
  template absl::StatusOr<T> CustomCallAttributes::Get<T>(std::string_view) const;
SINTER_INSTANTIATE(bool)
SINTER_INSTANTIATE(int8_t)
SINTER_INSTANTIATE(int16_t)
SINTER_INSTANTIATE(int32_t)
SINTER_INSTANTIATE(int64_t)
SINTER_INSTANTIATE(uint8_t)
SINTER_INSTANTIATE(uint16_t)
SINTER_INSTANTIATE(uint32_t)
SINTER_INSTANTIATE(uint64_t)
SINTER_INSTANTIATE(float)
SINTER_INSTANTIATE(double)
SINTER_INSTANTIATE(std::string)
SINTER_INSTANTIATE(std::vector<int64_t>)
SINTER_INSTANTIATE(std::vector<double>)
#undef SINTER_INSTANTIATE

}  // namespace sinter
