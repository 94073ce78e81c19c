// Einsum as a product of two arrays, or of one.

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/matrix.h"

namespace sinter {
namespace {

using Labels = std::vector<int64_t>;

bool Has(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}
int64_t IndexOf(const Labels& labels, int64_t label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// "a...b", whose ellipsis stands for `ellipsis_rank` dimensions.
struct Term {
  std::string_view before, after;
  bool has_ellipsis = false;

  int64_t letters() const { return static_cast<int64_t>(before.size() + after.size()); }
  Labels Numbers(int64_t ellipsis_rank) const {
    Labels numbers(before.begin(), before.end());
    for (int64_t i = has_ellipsis ? ellipsis_rank : 0; i > 0; --i) numbers.push_back(-i);
    numbers.insert(numbers.end(), after.begin(), after.end());
    return numbers;
  }
};
absl::StatusOr<Term> ParseTerm(std::string_view text) {
  constexpr std::string_view kEllipsis = "...";
  Term term{text, {}};
  if (size_t at = text.find(kEllipsis); at != text.npos)
    term = {text.substr(0, at), text.substr(at + kEllipsis.size()), true};
  for (std::string_view part : {term.before, term.after}) {
    for (char c : part) {
      if (!IsLetter(c)) return InvalidArgument("\"{}\" is no label in \"{}\"", c, text);
    }
  }
  return term;
}

// An operand with labels that differ from each other.
struct Labelled {
  Op op;
  Labels labels;
};

// Of labels that an operand has twice the diagonal.
absl::StatusOr<Labelled> Diagonal(Builder* b, Op x, absl::Span<const int64_t> config) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(x));
  if (static_cast<int64_t>(config.size()) != shape.rank())
    return InvalidArgument("{} labels for {}", config.size(), shape.ToString());
  Labelled result{x, {}};
  std::vector<int64_t> repeated;
  Op mask;
  const Shape positions = WithType(shape, ElementType::S32);
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t label = config[static_cast<size_t>(i)];
    if (!Has(result.labels, label)) {
      result.labels.push_back(label);
      continue;
    }
    repeated.push_back(i);
    const int64_t first = std::find(config.begin(), config.end(), label) - config.begin();
    if (shape.dimension(first) != shape.dimension(i)) {
      return InvalidArgument("dimensions {} and {} of {} have one label and differ", first, i,
                             shape.ToString());
    }
    Op equal = Eq(Iota(b, positions, first), Iota(b, positions, i));
    mask = mask.IsUninitialized() ? equal : And(mask, equal);
  }
  if (repeated.empty()) return result;
  result.op = Reduce(Select(mask, x, ZerosLike(x)), Zero(b, shape.element_type()),
                     CreateScalarIdentityWithZeroComputation(shape.element_type(), b), repeated);
  return result;
}

// Without dimensions of 1 that repeat the other operand's.
absl::StatusOr<Labelled> WithoutRepeats(const Labelled& x, const Labelled& other) {
  ASSIGN_OR_RETURN(Shape shape, ArrayShape(x.op));
  ASSIGN_OR_RETURN(Shape other_shape, ArrayShape(other.op));
  Labelled result{x.op, {}};
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < shape.rank(); ++i) {
    const int64_t label = x.labels[static_cast<size_t>(i)];
    const bool shared = Has(other.labels, label);
    const int64_t size = shape.dimension(i);
    const int64_t other_size = shared ? other_shape.dimension(IndexOf(other.labels, label)) : size;
    if (size != other_size && size != 1 && other_size != 1) {
      return InvalidArgument("dimensions {} and {} of one label, of {} and {}", size, other_size,
                             shape.ToString(), other_shape.ToString());
    }
    if (size == 1 && other_size != 1) continue;
    result.labels.push_back(label);
    sizes.push_back(size);
  }
  if (static_cast<int64_t>(sizes.size()) < shape.rank()) result.op = Reshape(x.op, sizes);
  return result;
}

absl::Status CheckOutput(const Labels& x, const Labels& y, const Labels& output) {
  for (int64_t label : output) {
    if (!Has(x, label) && !Has(y, label))
      return InvalidArgument("the result has a label that no operand has");
    if (std::count(output.begin(), output.end(), label) > 1)
      return InvalidArgument("the result has a label twice");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    std::string_view einsum_config, int64_t x_rank, int64_t y_rank) {
  const size_t comma = einsum_config.find(','), arrow = einsum_config.find("->");
  if (comma == einsum_config.npos || einsum_config.find(',', comma + 1) != einsum_config.npos)
    return InvalidArgument("expected one \",\" in \"{}\"", einsum_config);
  if (arrow == einsum_config.npos || arrow < comma ||
      einsum_config.find("->", arrow + 1) != einsum_config.npos)
    return InvalidArgument("expected one \"->\" after the \",\" in \"{}\"", einsum_config);
  ASSIGN_OR_RETURN(Term x, ParseTerm(einsum_config.substr(0, comma)));
  ASSIGN_OR_RETURN(Term y, ParseTerm(einsum_config.substr(comma + 1, arrow - comma - 1)));
  ASSIGN_OR_RETURN(Term output, ParseTerm(einsum_config.substr(arrow + 2)));
  auto ellipsis_rank = [&](const Term& term, int64_t rank) -> absl::StatusOr<int64_t> {
    const int64_t more = rank - term.letters();
    if (more >= 0 || !term.has_ellipsis) return std::max<int64_t>(more, 0);
    return InvalidArgument("an operand of rank {} has fewer dimensions than labels in \"{}\"", rank,
                           einsum_config);
  };
  ASSIGN_OR_RETURN(const int64_t x_more, ellipsis_rank(x, x_rank));
  ASSIGN_OR_RETURN(const int64_t y_more, ellipsis_rank(y, y_rank));
  const int64_t most = std::max(x.has_ellipsis ? x_more : 0, y.has_ellipsis ? y_more : 0);
  return std::array<Labels, 3>{x.Numbers(x_more), y.Numbers(y_more), output.Numbers(most)};
}

std::string NormalizeEinsumString(std::string_view einsum_config) {
  if (einsum_config.find("->") != einsum_config.npos) return "";
  std::string letters, output(einsum_config);
  for (char c : einsum_config) {
    if (IsLetter(c)) letters += c;
  }
  std::sort(letters.begin(), letters.end());
  output += einsum_config.find("...") != einsum_config.npos ? "->..." : "->";
  for (char c : letters) {
    if (std::count(letters.begin(), letters.end(), c) == 1) output += c;
  }
  return output;
}

Op Einsum(const Operand& x, absl::Span<const int64_t> x_config, const Operand& y,
          absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
          Precision precision, std::optional<ElementType> preferred_element_type, bool, bool) {
  return Compose("einsum", x, [&](Builder* b) -> absl::StatusOr<Op> {
    const Labels output(output_config.begin(), output_config.end());
    ASSIGN_OR_RETURN(Labelled one, Diagonal(b, x.op(), x_config));
    ASSIGN_OR_RETURN(Labelled two, Diagonal(b, y.op(), y_config));
    RETURN_IF_ERROR(CheckOutput(one.labels, two.labels, output));
    ASSIGN_OR_RETURN(Labelled lhs, WithoutRepeats(one, two));
    ASSIGN_OR_RETURN(Labelled rhs, WithoutRepeats(two, one));

    DotDimensionNumbers numbers;
    Labels batch, free;
    for (size_t i = 0; i < lhs.labels.size(); ++i) {
      const int64_t label = lhs.labels[i], dim = static_cast<int64_t>(i);
      if (!Has(rhs.labels, label)) {
        free.push_back(label);
        continue;
      }
      const bool stays = Has(output, label);
      (stays ? numbers.lhs_batch : numbers.lhs_contracting).push_back(dim);
      (stays ? numbers.rhs_batch : numbers.rhs_contracting).push_back(IndexOf(rhs.labels, label));
      if (stays) batch.push_back(label);
    }
    for (int64_t label : rhs.labels) {
      if (!Has(lhs.labels, label)) free.push_back(label);
    }
    const PrecisionConfig config{{precision, precision}};
    Op product = DotGeneral(lhs.op, rhs.op, numbers, &config, preferred_element_type);

    // Labels of one operand that the result lacks.
    Labels labels = batch;
    labels.insert(labels.end(), free.begin(), free.end());
    std::vector<int64_t> summed;
    Labels rest;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (Has(output, labels[i])) {
        rest.push_back(labels[i]);
      } else {
        summed.push_back(static_cast<int64_t>(i));
      }
    }
    if (!summed.empty()) {
      ASSIGN_OR_RETURN(Shape shape, product.shape());
      product = Reduce(product, Zero(b, shape.element_type()),
                       CreateScalarAddComputation(shape.element_type(), b), summed);
    }
    std::vector<int64_t> permutation;
    for (int64_t label : output) permutation.push_back(IndexOf(rest, label));
    return Transpose(product, permutation);
  });
}

Op Einsum(const Operand& x, const Operand& y, std::string_view einsum_config, Precision precision,
          std::optional<ElementType> preferred_element_type, bool grad_x, bool grad_y) {
  return Compose("einsum", x, [&](Builder*) -> absl::StatusOr<Op> {
    std::string config = NormalizeEinsumString(einsum_config);
    if (config.empty()) config = einsum_config;
    ASSIGN_OR_RETURN(Shape x_shape, ArrayShape(x.op()));
    ASSIGN_OR_RETURN(Shape y_shape, ArrayShape(y.op()));
    ASSIGN_OR_RETURN(auto labels, ParseEinsumString(config, x_shape.rank(), y_shape.rank()));
    return Einsum(x, labels[0], y, labels[1], labels[2], precision, preferred_element_type, grad_x,
                  grad_y);
  });
}

Op Einsum(const Operand& x, std::string_view einsum_config, Precision precision) {
  return Compose("einsum", x, [&](Builder*) -> absl::StatusOr<Op> {
    // The other operand is a scalar.
    return Einsum(ScalarLike(x, 1), x, "," + std::string(einsum_config), precision);
  });
}

}  // namespace sinter
