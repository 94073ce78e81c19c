#include "types/shape_text.h"

#include <algorithm>
#include <array>

namespace sinter {
namespace {

constexpr int kMaxTupleDepth = 64;
constexpr size_t kMaxRank = 256;

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string_view EatName(TextCursor& c) {
  c.SkipSpace();
  size_t start = c.pos();
  while (IsNameChar(c.Here())) c.set_pos(c.pos() + 1);
  return c.text().substr(start, c.pos() - start);
}

// "2", "<=2", "?", "<=?" up to "]".
absl::Status ParseDimensions(TextCursor& c, std::vector<int64_t>& dimensions,
                             std::vector<bool>& dynamic) {
  if (c.Eat(']')) return absl::OkStatus();
  do {
    bool is_dynamic = c.Eat("<=");
    int64_t size = 0;
    if (c.Eat('?')) {
      is_dynamic = true;
      size = Shape::kUnbounded;
    } else {
      c.SkipSpace();
      size_t at = c.pos();
      if (!c.EatInt(&size)) return c.Error("expected a dimension");
      if (size < 0) {
        c.set_pos(at);
        return c.Error("a dimension is negative: {}", size);
      }
    }
    if (dimensions.size() == kMaxRank)
      return ResourceExhausted("more than {} dimensions", kMaxRank);
    dimensions.push_back(size);
    dynamic.push_back(is_dynamic);
  } while (c.Eat(','));
  if (!c.Eat(']')) return c.Error("expected ',' or ']' in the dimensions of a shape");
  return absl::OkStatus();
}

// "{1,0}", "{1,0:T(8,128)S(1)}": the order is read, tiles and memory spaces are skipped.
// Behind the ':' of a layout, tiles, memory spaces, sizes of elements, kinds of dimensions:
// "T(8,128) S(1)E(4)D(D,C)". They say where values are on the machine that the text was compiled
// for.
absl::Status SkipPlacement(TextCursor& c) {
  int depth = 0;
  bool kinds = false;  // inside D(...): dense, compressed, singleton, loose compressed
  while (c.pos() < c.text().size() && (depth > 0 || c.Here() != '}')) {
    const char here = c.Here();
    if (here == '(') ++depth;
    if (here == ')') --depth;
    if (depth < 0) return c.Error("a ')' without '(' in a layout");
    if (kinds && depth > 0 && std::string_view("DCSH+~,( ").find(here) == std::string_view::npos)
      return c.Error("'{}' is no kind of dimension", here);
    if (depth == 0) kinds = here == 'D';
    c.set_pos(c.pos() + 1);
  }
  return absl::OkStatus();
}

absl::Status ParseLayout(TextCursor& c, Shape& shape) {
  std::vector<int64_t> order;
  size_t start = c.pos();
  int64_t d;
  while (c.EatInt(&d)) {
    if (d < 0 || d >= shape.rank() || std::find(order.begin(), order.end(), d) != order.end()) {
      return c.Error("the layout is no permutation of the {} dimensions", shape.rank());
    }
    order.push_back(d);
    if (!c.Eat(',')) break;
  }
  if (c.Eat(':')) RETURN_IF_ERROR(SkipPlacement(c));
  if (!c.Eat('}')) return c.Error("expected '}}' after a layout");
  if (static_cast<int64_t>(order.size()) != shape.rank() && !order.empty()) {
    c.set_pos(start);
    return c.Error("the layout names {} of {} dimensions", order.size(), shape.rank());
  }
  shape.set_minor_to_major(std::move(order));
  return absl::OkStatus();
}

absl::StatusOr<Shape> ParseArray(TextCursor& c) {
  c.SkipSpace();
  size_t start = c.pos();
  std::string_view name = EatName(c);
  std::optional<ElementType> type = ElementTypeFromName(name);
  if (!type || *type == ElementType::TUPLE) {
    c.set_pos(start);
    if (name.empty()) return c.Error("expected a shape");
    return c.Error("'{}' is no element type", name);
  }
  if (!c.Eat('[')) return c.Error("expected '[' after element type {}", name);
  std::vector<int64_t> dimensions, sizes;
  std::vector<bool> dynamic;
  RETURN_IF_ERROR(ParseDimensions(c, dimensions, dynamic));
  for (int64_t d : dimensions) sizes.push_back(d == Shape::kUnbounded ? 1 : d);
  if (absl::StatusOr<Shape> checked = Shape::Make(*type, sizes); !checked.ok()) {
    c.set_pos(start);
    // Shape::Make's other refusals are about the text, a size is about the machine.
    if (IsArrayType(*type)) return ResourceExhausted("{}", MessageOf(checked.status()));
    return checked.status();
  }
  Shape shape(*type, std::move(dimensions));
  for (size_t i = 0; i < dynamic.size(); ++i) {
    if (dynamic[i]) shape.set_dynamic(static_cast<int64_t>(i), true);
  }
  if (c.Here() == '{') {
    // A layout touches the shape and begins with a digit, ':' or '}'; a constant's "{" does not
    // follow a shape.
    c.set_pos(c.pos() + 1);
    RETURN_IF_ERROR(ParseLayout(c, shape));
  }
  return shape;
}

absl::StatusOr<Shape> ParseNested(TextCursor& c, int depth) {
  if (!c.Eat('(')) return ParseArray(c);
  if (depth == kMaxTupleDepth)
    return ResourceExhausted("tuples nested deeper than {}", kMaxTupleDepth);
  std::vector<Shape> elements;
  if (!c.Eat(')')) {
    do {
      ASSIGN_OR_RETURN(Shape element, ParseNested(c, depth + 1));
      elements.push_back(std::move(element));
    } while (c.Eat(','));
    if (!c.Eat(')')) return c.Error("expected ',' or ')' in a tuple shape");
  }
  return Shape::Tuple(std::move(elements));
}

}  // namespace

std::optional<ElementType> ElementTypeFromName(std::string_view name) {
  for (int i = 0; i < kElementTypeCount; ++i) {
    auto t = static_cast<ElementType>(i);
    if (Name(t) == name) return t;
  }
  return std::nullopt;
}

absl::StatusOr<Shape> ParseShape(TextCursor& cursor) { return ParseNested(cursor, 0); }

bool AtShape(TextCursor c) {
  if (c.Peek() == '(') return true;
  std::string_view name = EatName(c);
  return c.Here() == '[' && ElementTypeFromName(name).has_value();
}

absl::StatusOr<Shape> Shape::Parse(std::string_view text) {
  TextCursor c(text);
  absl::StatusOr<Shape> shape = ParseShape(c);
  absl::Status status = shape.status();
  if (status.ok() && c.Peek() != '\0') status = c.Error("text after the shape");
  if (!status.ok())
    return Annotate(status, Format("shape '{}', column {}", text.substr(0, 200), c.pos() + 1));
  return shape;
}

}  // namespace sinter
