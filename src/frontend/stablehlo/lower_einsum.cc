// einsum and unary_einsum, which TensorFlow's bridge writes; the specification has neither. Their
// configuration is that of numpy.einsum: "...ab,...bc->...ac".
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {
namespace {

// A letter, or a dimension that "..." stands for, counted from the last: -1, -2, ...
using Labels = std::vector<int64_t>;

struct Labelled {
  HloInstruction* x = nullptr;
  Labels labels;  // one a dimension
};

bool Has(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
int64_t PlaceOf(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

// "...ab" as the labels of `rank` dimensions, or, of a result, with so many for "...".
absl::StatusOr<Labels> ReadTerm(Lowering& l, const Operation& op, std::string_view term,
                                std::optional<int64_t> rank, int64_t* hidden) {
  const size_t dots = term.find("...");
  const std::string_view before = term.substr(0, dots),
                         after = dots == term.npos ? "" : term.substr(dots + 3);
  const auto letters = static_cast<int64_t>(before.size() + after.size());
  if (rank && (dots == term.npos ? *rank != letters : *rank < letters))
    return l.Invalid(op, "'{}' does not name the dimensions of an operand of rank {}", term, *rank);
  if (rank) *hidden = dots == term.npos ? 0 : *rank - letters;
  Labels labels(before.begin(), before.end());
  for (int64_t d = dots == term.npos ? 0 : *hidden; d > 0; --d) labels.push_back(-d);
  labels.insert(labels.end(), after.begin(), after.end());
  for (char c : std::string(before) + std::string(after)) {
    if (!absl::ascii_isalpha(static_cast<unsigned char>(c)))
      return l.Invalid(op, "'{}' in einsum_config is no letter", c);
  }
  return labels;
}

absl::StatusOr<HloInstruction*> Reshaped(Lowering& l, const Operation& op, HloInstruction* x,
                                         const Dims& dims) {
  const Shape shape(x->shape().element_type(), dims);
  return l.Add(op, HloOpcode::Reshape, {x}, NoAttrs{}, {}, &shape);
}

// The sum along these dimensions.
absl::Status Sum(Lowering& l, const Operation& op, Labelled& value, Dims dims) {
  if (dims.empty()) return absl::OkStatus();
  const Shape scalar(value.x->shape().element_type());
  HloComputation* sum = SumComputation(l, scalar.element_type());
  HloInstruction* zero = nullptr;
  ASSIGN_OR_RETURN(zero, l.Splat(op, Literal(scalar), scalar));
  for (auto d = dims.rbegin(); d != dims.rend(); ++d) value.labels.erase(value.labels.begin() + *d);
  ASSIGN_OR_RETURN(value.x, l.Add(op, HloOpcode::Reduce, {value.x, zero},
                                  DimensionsAttrs{std::move(dims)}, {&sum, 1}));
  return absl::OkStatus();
}

// Of a label that stands for two dimensions, the elements where both indices are one.
absl::Status TakeDiagonals(Lowering& l, const Operation& op, Labelled& value) {
  for (int64_t d = static_cast<int64_t>(value.labels.size()) - 1; d > 0; --d) {
    const int64_t first = PlaceOf(value.labels, value.labels[static_cast<size_t>(d)]);
    if (first == d) continue;
    const Shape& shape = value.x->shape();
    if (shape.dimension(first) != shape.dimension(d))
      return l.Invalid(op, "dimensions {} and {} of an operand have one name and two sizes", first,
                       d);
    const Shape indices(ElementType::S64, shape.dimensions());
    ASSIGN_OR_RETURN(HloInstruction * i,
                     l.Add(op, HloOpcode::Iota, {}, IotaAttrs{first}, {}, &indices));
    ASSIGN_OR_RETURN(HloInstruction * j,
                     l.Add(op, HloOpcode::Iota, {}, IotaAttrs{d}, {}, &indices));
    ASSIGN_OR_RETURN(HloInstruction * same, l.Add(op, HloOpcode::Compare, {i, j}, CompareAttrs{}));
    ASSIGN_OR_RETURN(HloInstruction * zeros,
                     l.Splat(op, Literal(Shape(shape.element_type())),
                             Shape(shape.element_type(), shape.dimensions())));
    ASSIGN_OR_RETURN(value.x, l.Add(op, HloOpcode::Select, {same, value.x, zeros}));
    RETURN_IF_ERROR(Sum(l, op, value, {d}));
  }
  return absl::OkStatus();
}

// The sum along the dimensions whose names are in neither list.
absl::Status SumOut(Lowering& l, const Operation& op, Labelled& value, const Labels& kept,
                    const Labels& other) {
  Dims dims;
  for (size_t d = 0; d < value.labels.size(); ++d) {
    if (!Has(kept, value.labels[d]) && !Has(other, value.labels[d]))
      dims.push_back(static_cast<int64_t>(d));
  }
  return Sum(l, op, value, std::move(dims));
}

// Without the dimensions of "..." that are 1 where the other operand has more, which has all.
absl::Status DropBroadcast(Lowering& l, const Operation& op, Labelled& value,
                           const Labelled& other) {
  Labelled kept;
  Dims dims;
  for (size_t d = 0; d < value.labels.size(); ++d) {
    const int64_t label = value.labels[d], size = value.x->shape().dimensions()[d];
    if (label < 0 && size == 1 && Has(other.labels, label) &&
        other.x->shape().dimension(PlaceOf(other.labels, label)) != 1)
      continue;
    kept.labels.push_back(label);
    dims.push_back(size);
  }
  if (dims.size() == value.labels.size()) return absl::OkStatus();
  ASSIGN_OR_RETURN(kept.x, Reshaped(l, op, value.x, dims));
  value = std::move(kept);
  return absl::OkStatus();
}

absl::StatusOr<Labelled> Product(Lowering& l, const Operation& op, const Labelled& x,
                                 const Labelled& y, const Labels& result, ElementType type) {
  DotAttrs attrs;
  Labelled product;
  Dims dims;
  for (size_t d = 0; d < x.labels.size(); ++d) {
    const int64_t label = x.labels[d];
    if (!Has(y.labels, label)) continue;
    const bool kept = Has(result, label);
    (kept ? attrs.lhs_batch_dims : attrs.lhs_contracting_dims).push_back(static_cast<int64_t>(d));
    (kept ? attrs.rhs_batch_dims : attrs.rhs_contracting_dims).push_back(PlaceOf(y.labels, label));
    if (kept) product.labels.push_back(label);
    if (kept) dims.push_back(x.x->shape().dimensions()[d]);
  }
  for (const auto& [one, other] : {std::pair{&x, &y}, std::pair{&y, &x}}) {
    for (size_t d = 0; d < one->labels.size(); ++d) {
      if (Has(other->labels, one->labels[d])) continue;
      product.labels.push_back(one->labels[d]);
      dims.push_back(one->x->shape().dimensions()[d]);
    }
  }
  const Shape shape(type, dims);
  ASSIGN_OR_RETURN(product.x, l.Add(op, HloOpcode::Dot, {x.x, y.x}, attrs, {}, &shape));
  return product;
}

}  // namespace

absl::Status Einsum(Lowering& l, const Operation& op, const OpRow& row) {
  const size_t count = row.name == "stablehlo.unary_einsum" ? 1 : 2;
  RETURN_IF_ERROR(l.CheckCounts(op, count, 1));
  ASSIGN_OR_RETURN(const Attribute* config, l.Require(op, "einsum_config"));
  if (config->kind != Attribute::Kind::kString)
    return l.Invalid(op, "einsum_config must be a string");
  std::string text = config->text;
  std::erase(text, ' ');
  const std::string_view all = text;
  const size_t arrow = all.find("->"), comma = all.find(',');
  if (arrow == all.npos || (comma < arrow) != (count == 2))
    return l.Invalid(op, "einsum_config \"{}\" must be {}", config->text,
                     count == 1 ? "OPERAND->RESULT" : "LHS,RHS->RESULT");
  const std::string_view terms[] = {all.substr(0, std::min(comma, arrow)),
                                    count == 2 ? all.substr(comma + 1, arrow - comma - 1) : ""};
  const std::string_view result_term = all.substr(arrow + 2);
  const ElementType type = l.ResultShape(op).element_type();
  std::vector<Labelled> operands;
  int64_t most = 0;
  for (size_t n = 0; n < count; ++n) {
    Labelled operand{l.Operand(op, n), {}};
    const Shape& shape = operand.x->shape();
    if (!shape.is_array() || !shape.is_static())
      return l.Unsupported(op, "an operand of {}", ToText(shape));
    int64_t hidden = 0;
    ASSIGN_OR_RETURN(operand.labels, ReadTerm(l, op, terms[n], shape.rank(), &hidden));
    most = std::max(most, hidden);
    // Before anything is summed: the result's type may hold more.
    if (shape.element_type() != type) {
      const Shape converted(type, shape.dimensions());
      ASSIGN_OR_RETURN(operand.x,
                       l.Add(op, HloOpcode::Convert, {operand.x}, NoAttrs{}, {}, &converted));
    }
    RETURN_IF_ERROR(TakeDiagonals(l, op, operand));
    operands.push_back(std::move(operand));
  }
  ASSIGN_OR_RETURN(const Labels result, ReadTerm(l, op, result_term, std::nullopt, &most));
  for (int64_t label : result) {
    const bool known = std::any_of(operands.begin(), operands.end(), [&](const Labelled& operand) {
      return Has(operand.labels, label);
    });
    if (!known || std::count(result.begin(), result.end(), label) != 1)
      return l.Invalid(op, "\"{}\" must name dimensions of the operands, each once", result_term);
  }
  Labelled value = operands[0];
  if (count == 1) {
    RETURN_IF_ERROR(SumOut(l, op, value, result, {}));
  } else {
    RETURN_IF_ERROR(DropBroadcast(l, op, operands[0], operands[1]));
    RETURN_IF_ERROR(DropBroadcast(l, op, operands[1], operands[0]));
    RETURN_IF_ERROR(SumOut(l, op, operands[0], result, operands[1].labels));
    RETURN_IF_ERROR(SumOut(l, op, operands[1], result, operands[0].labels));
    ASSIGN_OR_RETURN(value, Product(l, op, operands[0], operands[1], result, type));
  }
  if (value.labels != result) {
    Dims order;
    for (int64_t label : result) order.push_back(PlaceOf(value.labels, label));
    ASSIGN_OR_RETURN(value.x,
                     l.Add(op, HloOpcode::Transpose, {value.x}, DimensionsAttrs{std::move(order)}));
  }
  return l.SetResult(op, value.x);
}

}  // namespace sinter::stablehlo::lower
