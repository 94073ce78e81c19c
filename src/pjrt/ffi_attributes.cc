#include "pjrt/ffi_attributes.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "pjrt/array.h"
#include "sinter/element_type.h"
#include "sinter/float_types.h"

namespace sinter::pjrt::ffi {
namespace {

constexpr int kDeepest = 16;

// The element types of MLIR's numbers.
struct NumberType {
  std::string_view name;
  ElementType type;
};
constexpr NumberType kNumberTypes[] = {
    {"i1", ElementType::PRED},   {"i8", ElementType::S8},     {"si8", ElementType::S8},
    {"ui8", ElementType::U8},    {"i16", ElementType::S16},   {"si16", ElementType::S16},
    {"ui16", ElementType::U16},  {"i32", ElementType::S32},   {"si32", ElementType::S32},
    {"ui32", ElementType::U32},  {"i64", ElementType::S64},   {"si64", ElementType::S64},
    {"ui64", ElementType::U64},  {"index", ElementType::S64}, {"f16", ElementType::F16},
    {"bf16", ElementType::BF16}, {"f32", ElementType::F32},   {"f64", ElementType::F64},
};

class Dictionary : public AttributeList {
 public:
  struct Entry {
    ByteSpan name;
    AttrKind kind;
    void* value;
  };

  // Called once, when all entries are there.
  absl::Status Finish() {
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return std::string_view(a.name.data, a.name.size) <
             std::string_view(b.name.data, b.name.size);
    });
    for (Entry& e : entries) {
      kinds.push_back(e.kind);
      names.push_back(&e.name);
      values.push_back(e.value);
    }
    list_ = {sizeof(Attrs), nullptr,      static_cast<int64_t>(entries.size()),
             kinds.data(),  names.data(), values.data()};
    return absl::OkStatus();
  }

  std::vector<Entry> entries;
  std::vector<AttrKind> kinds;
  std::vector<ByteSpan*> names;
  std::vector<void*> values;
  // What the entries point to.
  std::deque<std::string> bytes;
  std::deque<ByteSpan> spans;
  std::deque<Scalar> scalars;
  std::deque<Array> arrays;
  std::deque<Attrs> lists;
  std::vector<std::shared_ptr<Dictionary>> nested;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  absl::StatusOr<std::shared_ptr<Dictionary>> Whole() {
    Skip();
    if (rest_.empty()) {
      auto empty = std::make_shared<Dictionary>();
      RETURN_IF_ERROR(empty->Finish());
      return empty;
    }
    ASSIGN_OR_RETURN(std::shared_ptr<Dictionary> d, ReadDictionary(0));
    Skip();
    if (!rest_.empty()) return Error("text after the dictionary");
    return d;
  }

 private:
  void Skip() {
    while (!rest_.empty() && std::isspace(static_cast<unsigned char>(rest_.front())))
      rest_.remove_prefix(1);
  }
  bool Accept(std::string_view token) {
    Skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  absl::Status Error(std::string_view what) const {
    return InvalidArgument("attributes of a call: {} at \"{}\"", what, rest_.substr(0, 20));
  }
  absl::Status Expect(std::string_view token) {
    if (Accept(token)) return absl::OkStatus();
    return Error(Format("expected \"{}\"", token));
  }
  std::string_view Word(std::string_view others) {
    Skip();
    size_t size = 0;
    while (size < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[size])) ||
                                   others.find(rest_[size]) != std::string_view::npos)) {
      ++size;
    }
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  static int Hex(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  }
  // Behind the quotation mark that begins it.
  absl::StatusOr<std::string> ReadString() {
    std::string out;
    while (!rest_.empty() && rest_.front() != '"') {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\') {
        if (rest_.empty()) break;
        c = rest_.front();
        if (rest_.size() >= 2 && Hex(c) >= 0 && Hex(rest_[1]) >= 0) {
          c = static_cast<char>(16 * Hex(c) + Hex(rest_[1]));
          rest_.remove_prefix(1);
        } else if (c == 'n') {
          c = '\n';
        } else if (c == 't') {
          c = '\t';
        }
        rest_.remove_prefix(1);
      }
      out += c;
    }
    if (rest_.empty()) return Error("a string does not end");
    rest_.remove_prefix(1);
    return out;
  }

  absl::StatusOr<std::shared_ptr<Dictionary>> ReadDictionary(int depth) {
    if (depth > kDeepest) return Error("dictionaries are nested too deeply");
    auto d = std::make_shared<Dictionary>();
    RETURN_IF_ERROR(Expect("{"));
    if (!Accept("}")) {
      do {
        std::string name;
        if (Accept("\"")) {
          ASSIGN_OR_RETURN(name, ReadString());
        } else {
          name = Word("_$.-");
        }
        if (name.empty()) return Error("expected a name");
        for (const Dictionary::Entry& e : d->entries) {
          if (std::string_view(e.name.data, e.name.size) == name)
            return Error(Format("{} a second time", name));
        }
        d->bytes.push_back(std::move(name));
        const ByteSpan span{d->bytes.back().data(), d->bytes.back().size()};
        RETURN_IF_ERROR(Expect("="));
        RETURN_IF_ERROR(ReadValue(*d, span, depth));
      } while (Accept(","));
      RETURN_IF_ERROR(Expect("}"));
    }
    RETURN_IF_ERROR(d->Finish());
    return d;
  }

  absl::Status ReadValue(Dictionary& d, ByteSpan name, int depth) {
    auto add = [&](AttrKind kind, void* value) { d.entries.push_back({name, kind, value}); };
    Skip();
    if (Accept("\"")) {
      ASSIGN_OR_RETURN(std::string text, ReadString());
      d.bytes.push_back(std::move(text));
      d.spans.push_back({d.bytes.back().data(), d.bytes.back().size()});
      add(AttrKind::kString, &d.spans.back());
    } else if (rest_.starts_with("{")) {
      ASSIGN_OR_RETURN(std::shared_ptr<Dictionary> inner, ReadDictionary(depth + 1));
      d.lists.push_back(inner->list());
      d.nested.push_back(std::move(inner));
      add(AttrKind::kDictionary, &d.lists.back());
    } else if (Accept("array<")) {
      RETURN_IF_ERROR(ReadArray(d));
      add(AttrKind::kArray, &d.arrays.back());
    } else {
      std::string_view text = Word("+-.");
      if (text.empty())
        return Unimplemented("an attribute of a call at \"{}\"", rest_.substr(0, 20));
      const bool is_truth = text == "true" || text == "false";
      const bool is_float = text.find('.') != std::string_view::npos;
      ElementType type = is_truth   ? ElementType::PRED
                         : is_float ? ElementType::F64
                                    : ElementType::S64;
      if (Accept(":")) {
        ASSIGN_OR_RETURN(type, ReadType());
      }
      std::string bytes;
      RETURN_IF_ERROR(AppendNumber(text, type, bytes));
      d.bytes.push_back(std::move(bytes));
      d.scalars.push_back({PrimitiveType(type), d.bytes.back().data()});
      add(AttrKind::kScalar, &d.scalars.back());
    }
    return absl::OkStatus();
  }

  absl::StatusOr<ElementType> ReadType() {
    const std::string_view name = Word("");
    for (const NumberType& t : kNumberTypes) {
      if (t.name == name) return t.type;
    }
    return Unimplemented("an attribute of a call of type {}", name);
  }

  absl::Status ReadArray(Dictionary& d) {
    ASSIGN_OR_RETURN(const ElementType type, ReadType());
    std::string bytes;
    size_t count = 0;
    if (Accept(":") && !Accept(">")) {
      do {
        RETURN_IF_ERROR(AppendNumber(Word("+-."), type, bytes));
        ++count;
      } while (Accept(","));
      RETURN_IF_ERROR(Expect(">"));
    } else if (count == 0 && !rest_.empty()) {
      Accept(">");
    }
    // Elements are read in place, so that they are where they may be.
    d.bytes.push_back(std::move(bytes));
    d.arrays.push_back({PrimitiveType(type), count, d.bytes.back().data()});
    return absl::OkStatus();
  }

  template <class T>
  static void Append(T value, std::string& out) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

  // A number, or its bits as 0x...
  absl::Status AppendNumber(std::string_view text, ElementType type, std::string& out) const {
    const size_t width = static_cast<size_t>(ByteWidth(type));
    uint64_t bits = 0;
    if (text == "true" || text == "false") {
      bits = text == "true";
    } else if (text.starts_with("0x")) {
      const char* end = text.data() + text.size();
      if (std::from_chars(text.data() + 2, end, bits, 16).ptr != end)
        return Error("expected a number");
    } else if (IsFloat(type)) {
      double x = 0;
      if (text.starts_with("+")) text.remove_prefix(1);
      const char* end = text.data() + text.size();
      if (text.empty() || std::from_chars(text.data(), end, x).ptr != end)
        return Error("expected a number");
      if (type == ElementType::F64) {
        Append(x, out);
      } else if (type == ElementType::F32) {
        Append(static_cast<float>(x), out);
      } else if (type == ElementType::F16) {
        Append(half(static_cast<float>(x)), out);
      } else {
        Append(bfloat16(static_cast<float>(x)), out);
      }
      return absl::OkStatus();
    } else {
      const char* end = text.data() + text.size();
      if (text.starts_with("-")) {
        int64_t value = 0;
        if (std::from_chars(text.data(), end, value).ptr != end) return Error("expected a number");
        bits = static_cast<uint64_t>(value);
      } else if (text.empty() || std::from_chars(text.data(), end, bits).ptr != end) {
        return Error("expected a number");
      }
    }
    out.append(reinterpret_cast<const char*>(&bits), width);  // little-endian
    return absl::OkStatus();
  }

  std::string_view rest_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const AttributeList>> AttributeList::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(std::shared_ptr<Dictionary> d, Parser(text).Whole());
  return std::shared_ptr<const AttributeList>(std::move(d));
}

}  // namespace sinter::pjrt::ffi
