// Shape rules of operations over windows.
#include "ir/ops/window.h"

#include "ir/ops/rule.h"

namespace sinter {

std::optional<int64_t> DilatedSize(int64_t size, int64_t dilation) {
  if (size == 0) return 0;
  int64_t r;
  if (__builtin_mul_overflow(size - 1, dilation, &r) || __builtin_add_overflow(r, 1, &r))
    return std::nullopt;
  return r;
}

std::optional<int64_t> WindowCount(int64_t size, const WindowDimension& w) {
  std::optional<int64_t> base = DilatedSize(size, w.base_dilation),
                         window = DilatedSize(w.size, w.window_dilation);
  int64_t padded;
  if (!base || !window || __builtin_add_overflow(*base, w.padding_low, &padded) ||
      __builtin_add_overflow(padded, w.padding_high, &padded))
    return std::nullopt;
  if (padded <= 0 || *window > padded) return 0;
  return (padded - *window) / w.stride + 1;
}

bool IsInside(const WindowDimension& w) {
  return w.padding_low == 0 && w.padding_high == 0 && w.base_dilation == 1;
}

std::optional<CumulativeWindow> FindCumulative(const std::vector<int64_t>& dimensions,
                                               const Window& window) {
  std::optional<CumulativeWindow> found;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const int64_t n = dimensions[d];
    if (w == WindowDimension{}) continue;
    WindowDimension forwards, backwards;
    forwards.size = backwards.size = n;
    forwards.padding_low = backwards.padding_high = n - 1;
    if (found || n < 2 || (w != forwards && w != backwards)) return std::nullopt;
    found = CumulativeWindow{d, w == backwards};
  }
  return found;
}

bool ReadDimensionLabels(std::string_view labels, char batch, char feature, int64_t* batch_dim,
                         int64_t* feature_dim, std::vector<int64_t>* spatial_dims) {
  if (labels.size() < 2) return false;
  *batch_dim = *feature_dim = -1;
  spatial_dims->assign(labels.size() - 2, -1);
  for (size_t d = 0; d < labels.size(); ++d) {
    const char c = labels[d];
    int64_t* to;
    if (c == batch) {
      to = batch_dim;
    } else if (c == feature) {
      to = feature_dim;
    } else if (c >= '0' && c <= '9' && static_cast<size_t>(c - '0') < spatial_dims->size()) {
      to = &(*spatial_dims)[static_cast<size_t>(c - '0')];
    } else {
      return false;
    }
    if (*to >= 0) return false;
    *to = static_cast<int64_t>(d);
  }
  return true;
}

namespace infer {
namespace {

// Labels of the specification for one operation's window; empty: a rule of ours.
struct WindowLabels {
  std::string_view count, size, stride, base_dilation, window_dilation;
};

absl::Status CheckWindow(const Window& window, int64_t rank, const WindowLabels& labels) {
  REQUIRE(static_cast<int64_t>(window.size()) == rank,
          "{}the window must have an entry for each of {} dimensions, it has {}", labels.count,
          rank, window.size());
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    REQUIRE(w.size > 0, "{}the window's size {} along dimension {} must be positive", labels.size,
            w.size, d);
    REQUIRE(w.stride > 0, "{}the window's stride {} along dimension {} must be positive",
            labels.stride, w.stride, d);
    REQUIRE(w.base_dilation > 0, "{}the base dilation {} along dimension {} must be positive",
            labels.base_dilation, w.base_dilation, d);
    REQUIRE(w.window_dilation > 0, "{}the window dilation {} along dimension {} must be positive",
            labels.window_dilation, w.window_dilation, d);
  }
  return absl::OkStatus();
}

absl::StatusOr<Dims> CountWindows(const Shape& x, const Window& window) {
  Dims counts;
  for (int64_t d = 0; d < x.rank(); ++d) {
    std::optional<int64_t> n = WindowCount(x.dimension(d), window[static_cast<size_t>(d)]);
    REQUIRE(n, "the padded size of dimension {} overflows int64", d);
    counts.push_back(*n);
  }
  return counts;
}

}  // namespace

absl::StatusOr<Shape> Windows(const InferInput& in) {
  const Shape& x = in.operand(0);
  const Window& window = in.as<WindowAttrs>().window;
  RETURN_IF_ERROR(CheckWindow(window, x.rank(), {"", "", "", "", ""}));
  for (const WindowDimension& w : window) {
    REQUIRE(IsInside(w) && !w.window_reversal,
            "the window takes neither padding nor base dilation nor reversal");
  }
  ASSIGN_OR_RETURN(Dims sizes, CountWindows(x, window));
  for (const WindowDimension& w : window) {
    if (w.size != 1) sizes.push_back(w.size);
  }
  return MakeResult(x.element_type(), sizes);
}

// Operands: n inputs, then n initial values, as of a reduction.
absl::StatusOr<Shape> ReduceWindow(const InferInput& in) {
  size_t n = in.operands.size() / 2;
  REQUIRE(n > 0 && in.operands.size() == 2 * n,
          "(C1) needs as many initial values as inputs, got {} operands", in.operands.size());
  const Shape& first = in.operand(0);
  const Window& window = in.as<WindowAttrs>().window;
  for (size_t i = 0; i < n; ++i) {
    REQUIRE(in.operand(i).is_array() && in.operand(i).SameDimensions(first),
            "(C2) the inputs must have the same dimensions");
    REQUIRE(in.operand(n + i).is_scalar(), "the initial values must be scalars");
  }
  RETURN_IF_ERROR(
      CheckWindow(window, first.rank(), {"(C4) ", "(C5) ", "(C7) ", "(C9) ", "(C11) "}));
  for (const WindowDimension& w : window) {
    REQUIRE(!w.window_reversal, "the window cannot be reversed");
  }
  const ComputationShape& body = in.called[0];
  REQUIRE(body.parameters.size() == 2 * n,
          "(C13) the computation must take {} scalars, it takes {}", 2 * n, body.parameters.size());
  std::vector<Shape> results = n == 1 ? std::vector{body.result} : body.result.tuple_shapes();
  REQUIRE(results.size() == n, "(C13) the computation must give {} scalars, it gives {}", n,
          body.result.ToString());
  ASSIGN_OR_RETURN(Dims counts, CountWindows(first, window));
  for (size_t i = 0; i < n; ++i) {
    const Shape& r = results[i];
    REQUIRE(r.is_scalar() && Agree(body.parameters[i], r) && Agree(body.parameters[n + i], r),
            "(C13) the computation must take and give the same scalars: parameters {} and {} are "
            "{} and {}, result {} is {}",
            i, n + i, body.parameters[i].ToString(), body.parameters[n + i].ToString(), i,
            r.ToString());
    REQUIRE(IsPromotable(in.operand(i).element_type(), r.element_type()),
            "(C13) the computation reduces {}, the input is {}", r.ToString(),
            in.operand(i).ToString());
    REQUIRE(in.operand(n + i).element_type() == r.element_type() ||
                in.operand(n + i).element_type() == in.operand(i).element_type(),
            "(C3) the input is {}, its initial value is {}", in.operand(i).ToString(),
            in.operand(n + i).ToString());
    ASSIGN_OR_RETURN(results[i], MakeResult(r.element_type(), counts));
  }
  if (n == 1) return results[0];
  return Shape::Tuple(std::move(results));
}

absl::StatusOr<Shape> SelectAndScatter(const InferInput& in) {
  const Shape &x = in.operand(0), &source = in.operand(1), &init = in.operand(2);
  const Window& window = in.as<WindowAttrs>().window;
  REQUIRE(source.is_array() && source.element_type() == x.element_type(),
          "(C1) the source must have the operand's element type");
  REQUIRE(init.is_scalar(), "the initial value must be a scalar");
  REQUIRE(init.element_type() == x.element_type(),
          "(C3) the initial value must have the operand's element type");
  RETURN_IF_ERROR(CheckWindow(window, x.rank(), {"(C4) ", "(C5) ", "(C7) ", "", ""}));
  for (const WindowDimension& w : window) {
    REQUIRE(w.base_dilation == 1 && w.window_dilation == 1 && !w.window_reversal,
            "the window takes neither dilation nor reversal");
  }
  ASSIGN_OR_RETURN(Dims counts, CountWindows(x, window));
  REQUIRE(source.dimensions() == counts, "(C2) the source must have an element a window: {}",
          Text(counts));
  const ComputationShape &select = in.called[0], &scatter = in.called[1];
  const Shape scalar(x.element_type());
  REQUIRE(select.parameters.size() == 2 && Agree(select.parameters[0], scalar) &&
              Agree(select.parameters[1], scalar) && Agree(select.result, Shape(ElementType::PRED)),
          "(C9) select must take two {} and give a predicate", scalar.ToString());
  REQUIRE(scatter.parameters.size() == 2 && scatter.result.is_scalar() &&
              Agree(scatter.parameters[0], scatter.result) &&
              Agree(scatter.parameters[1], scatter.result) &&
              IsPromotable(x.element_type(), scatter.result.element_type()),
          "(C10) scatter must take two scalars and give one, all of one element type to which {} "
          "is promoted",
          scalar.ToString());
  return Shape(scatter.result.element_type(), x.dimensions());
}

namespace {

// The spatial dimensions with the other two, which must be a permutation of `rank` dimensions.
absl::Status CheckNumbers(const Dims& spatial, int64_t one, int64_t other, int64_t rank,
                          std::string_view what, std::string_view count_label,
                          std::string_view label) {
  REQUIRE(static_cast<int64_t>(spatial.size()) == rank - 2,
          "{} needs {} spatial dimensions of the {}, got {}", count_label, rank - 2, what,
          spatial.size());
  Dims all = spatial;
  all.push_back(one);
  all.push_back(other);
  REQUIRE(IsUnique(all) && InRange(all, rank),
          "{} the dimension numbers {} of the {} must be different dimensions of {}", label,
          Text(all), what, rank);
  return absl::OkStatus();
}

}  // namespace

// The element type is the declared one, else the operands', as of a dot.
absl::StatusOr<Shape> Convolution(const InferInput& in) {
  const Shape &lhs = in.operand(0), &rhs = in.operand(1);
  const auto& a = in.as<ConvolutionAttrs>();
  const auto& d = a.dim_labels;
  const int64_t rank = lhs.rank();
  REQUIRE(rhs.is_array() && rhs.rank() == rank && rank >= 2,
          "(C1) the operands must have the same rank, at least 2");
  REQUIRE(lhs.element_type() == rhs.element_type(),
          "(C27) the operands must have the same element type");
  RETURN_IF_ERROR(CheckNumbers(d.input_spatial_dimensions, d.input_batch_dimension,
                               d.input_feature_dimension, rank, "left operand", "(C12)", "(C13)"));
  RETURN_IF_ERROR(CheckNumbers(d.kernel_spatial_dimensions, d.kernel_input_feature_dimension,
                               d.kernel_output_feature_dimension, rank, "right operand", "(C17)",
                               "(C18)"));
  RETURN_IF_ERROR(CheckNumbers(d.output_spatial_dimensions, d.output_batch_dimension,
                               d.output_feature_dimension, rank, "result", "(C19)", "(C20)"));
  REQUIRE(static_cast<int64_t>(a.window.size()) == rank - 2,
          "(C2) the window must have an entry for each of {} spatial dimensions, it has {}",
          rank - 2, a.window.size());
  for (size_t k = 0; k < a.window.size(); ++k) {
    const WindowDimension& w = a.window[k];
    REQUIRE(w.stride > 0, "(C3) the stride {} of spatial dimension {} must be positive", w.stride,
            k);
    REQUIRE(w.base_dilation > 0,
            "(C6) the base dilation {} of spatial dimension {} must be positive", w.base_dilation,
            k);
    REQUIRE(w.window_dilation > 0,
            "(C8) the window dilation {} of spatial dimension {} must be positive",
            w.window_dilation, k);
    int64_t size = rhs.dimension(d.kernel_spatial_dimensions[k]);
    REQUIRE(w.size == size,
            "the window's size {} along spatial dimension {} is not the kernel's {}", w.size, k,
            size);
  }
  const int64_t batch = lhs.dimension(d.input_batch_dimension),
                features = lhs.dimension(d.input_feature_dimension),
                kernel_in = rhs.dimension(d.kernel_input_feature_dimension),
                kernel_out = rhs.dimension(d.kernel_output_feature_dimension);
  REQUIRE(a.feature_group_count > 0, "(C21) feature_group_count={} must be positive",
          a.feature_group_count);
  REQUIRE(a.batch_group_count > 0, "(C22) batch_group_count={} must be positive",
          a.batch_group_count);
  REQUIRE(a.feature_group_count == 1 || a.batch_group_count == 1,
          "(C23) feature_group_count={} or batch_group_count={} must be 1", a.feature_group_count,
          a.batch_group_count);
  REQUIRE(batch % a.batch_group_count == 0,
          "(C10) the batch of {} is no multiple of batch_group_count={}", batch,
          a.batch_group_count);
  REQUIRE(features % a.feature_group_count == 0,
          "(C11) the {} input features are no multiple of feature_group_count={}", features,
          a.feature_group_count);
  REQUIRE(kernel_in == features / a.feature_group_count,
          "(C14) the kernel takes {} input features, a group of the left operand has {}", kernel_in,
          features / a.feature_group_count);
  REQUIRE(kernel_out % a.batch_group_count == 0,
          "(C15) the {} output features are no multiple of batch_group_count={}", kernel_out,
          a.batch_group_count);
  REQUIRE(kernel_out % a.feature_group_count == 0,
          "(C16) the {} output features are no multiple of feature_group_count={}", kernel_out,
          a.feature_group_count);
  Dims sizes(static_cast<size_t>(rank));
  sizes[static_cast<size_t>(d.output_batch_dimension)] = batch / a.batch_group_count;
  sizes[static_cast<size_t>(d.output_feature_dimension)] = kernel_out;
  for (size_t k = 0; k < a.window.size(); ++k) {
    // The shorter a window, the more there are.
    WindowDimension w = a.window[k];
    if (rhs.is_dynamic(d.kernel_spatial_dimensions[k])) w.size = std::min<int64_t>(w.size, 1);
    std::optional<int64_t> n = WindowCount(lhs.dimension(d.input_spatial_dimensions[k]), w);
    REQUIRE(n, "the padded size of spatial dimension {} overflows int64", k);
    sizes[static_cast<size_t>(d.output_spatial_dimensions[k])] = *n;
  }
  ElementType t =
      in.declared && in.declared->is_array() ? in.declared->element_type() : lhs.element_type();
  // Integers may be summed up as wider ones, or as floats.
  REQUIRE(Kind(t) == Kind(lhs.element_type()) ||
              (IsInteger(lhs.element_type()) && (IsInteger(t) || IsFloat(t))),
          "(C27) the result's element type must be of the operands' kind");
  return MakeResult(t, sizes);
}

namespace {

// Operands 1 to `last` are vectors with an element for each feature.
absl::Status CheckFeatures(const InferInput& in, size_t last,
                           std::initializer_list<std::string_view> labels) {
  const Shape& x = in.operand(0);
  const int64_t feature = in.as<BatchNormAttrs>().feature_index;
  REQUIRE(0 <= feature && feature < x.rank(),
          "(C1) feature_index={} is not a dimension of the operand", feature);
  for (size_t i = 1; i <= last; ++i) {
    const Shape& s = in.operand(i);
    REQUIRE(s.element_type() == x.element_type(),
            "(C2) operand {} must have the element type of operand 0", i);
    REQUIRE(s.rank() == 1 && s.dimension(0) == x.dimension(feature),
            "{} operand {} must be a vector with an element for each of {} features",
            labels.begin()[i - 1], i, x.dimension(feature));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> BatchNormGrad(const InferInput& in) {
  RETURN_IF_ERROR(CheckFeatures(in, 3, {"(C5)", "(C4)", "(C4)"}));
  REQUIRE(in.operand(4).element_type() == in.operand(0).element_type(),
          "(C2) operand 4 must have the element type of operand 0");
  REQUIRE(in.operand(4).SameDimensions(in.operand(0)),
          "(C3) operand 4 must have the dimensions of operand 0");
  return Shape::Tuple({in.operand(0), in.operand(1), in.operand(1)});
}

absl::StatusOr<Shape> BatchNormInference(const InferInput& in) {
  RETURN_IF_ERROR(CheckFeatures(in, 4, {"(C3)", "(C4)", "(C5)", "(C6)"}));
  return in.operand(0);
}

absl::StatusOr<Shape> BatchNormTraining(const InferInput& in) {
  RETURN_IF_ERROR(CheckFeatures(in, 2, {"(C3)", "(C4)"}));
  constexpr std::string_view kLabels[] = {"C7", "C5", "C6"};
  if (in.declared && in.declared->tuple_shapes().size() == 3) {
    for (size_t i = 0; i < 3; ++i) {
      const Shape &result = in.declared->tuple_shapes()[i],
                  &like = in.operand(std::min<size_t>(i, 1));
      REQUIRE(result.SameDimensions(like),
              "({}) element {} of the result must have the dimensions {}", kLabels[i], i,
              Text(like.dimensions()));
    }
  }
  return Shape::Tuple({in.operand(0), in.operand(1), in.operand(1)});
}

}  // namespace infer
}  // namespace sinter
