// Batch normalisation as the specification decomposes it, in f64 throughout, rounded once.
#include <cmath>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

std::vector<double> Elements(const Literal& x) {
  std::vector<double> v(static_cast<size_t>(x.shape().element_count()));
  if (!v.empty()) Load(x, 0, x.shape().element_count(), v.data());
  return v;
}

Literal ToLiteral(const std::vector<double>& v, const Shape& shape) {
  Literal x(Shape(shape.element_type(), shape.dimensions()));
  if (!v.empty()) Store(x, 0, static_cast<int64_t>(v.size()), v.data());
  return x;
}

// Which feature each element belongs to.
class Features {
 public:
  explicit Features(const Input& in) {
    const Shape& x = in.array(0).shape();
    const int64_t feature = in.instruction.attrs<BatchNormAttrs>().feature_index;
    count_ = x.dimension(feature);
    inner_ = RowMajorStrides(x.dimensions())[static_cast<size_t>(feature)];
    per_feature_ = static_cast<double>(x.element_count()) / static_cast<double>(count_);
  }
  size_t Of(size_t element) const {
    return static_cast<size_t>(static_cast<int64_t>(element) / inner_ % count_);
  }
  double per_feature() const { return per_feature_; }
  // The sum of value(element) for each feature.
  template <class Value>
  std::vector<double> Sum(size_t elements, Value value) const {
    std::vector<double> sums(static_cast<size_t>(count_), 0.0);
    for (size_t i = 0; i < elements; ++i) sums[Of(i)] += value(i);
    return sums;
  }

 private:
  int64_t count_, inner_;
  double per_feature_;
};

std::vector<double> Normalize(const Features& features, const std::vector<double>& x,
                              const std::vector<double>& scale, const std::vector<double>& offset,
                              const std::vector<double>& mean, const std::vector<double>& variance,
                              double epsilon) {
  std::vector<double> y;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    y.push_back(scale[f] * ((x[i] - mean[f]) / std::sqrt(variance[f] + epsilon)) + offset[f]);
  }
  return y;
}

}  // namespace

// operand, scale, offset, mean, variance -> result
absl::StatusOr<Value> BatchNormInference(const Input& in) {
  std::vector<double> y = Normalize(
      Features(in), Elements(in.array(0)), Elements(in.array(1)), Elements(in.array(2)),
      Elements(in.array(3)), Elements(in.array(4)), in.instruction.attrs<BatchNormAttrs>().epsilon);
  return Value(ToLiteral(y, in.shape()));
}

// operand, scale, offset -> output, mean, variance
absl::StatusOr<Value> BatchNormTraining(const Input& in) {
  const Features features(in);
  const std::vector<double> x = Elements(in.array(0));
  std::vector<double> mean = features.Sum(x.size(), [&](size_t i) { return x[i]; });
  for (double& m : mean) m /= features.per_feature();
  std::vector<double> variance = features.Sum(x.size(), [&](size_t i) {
    const double centered = x[i] - mean[features.Of(i)];
    return centered * centered;
  });
  for (double& v : variance) v /= features.per_feature();
  std::vector<double> y = Normalize(features, x, Elements(in.array(1)), Elements(in.array(2)), mean,
                                    variance, in.instruction.attrs<BatchNormAttrs>().epsilon);
  const auto& shapes = in.shape().tuple_shapes();
  return Value(std::vector<Value>{Value(ToLiteral(y, shapes[0])), Value(ToLiteral(mean, shapes[1])),
                                  Value(ToLiteral(variance, shapes[2]))});
}

// operand, scale, mean, variance, grad_output -> grad_operand, grad_scale, grad_offset
absl::StatusOr<Value> BatchNormGrad(const Input& in) {
  const Features features(in);
  const std::vector<double> x = Elements(in.array(0)), scale = Elements(in.array(1)),
                            mean = Elements(in.array(2)), variance = Elements(in.array(3)),
                            grad = Elements(in.array(4));
  const double epsilon = in.instruction.attrs<BatchNormAttrs>().epsilon, n = features.per_feature();
  auto centered = [&](size_t i) { return x[i] - mean[features.Of(i)]; };
  auto deviation = [&](size_t i) { return std::sqrt(variance[features.Of(i)] + epsilon); };
  const std::vector<double> grad_offset = features.Sum(x.size(), [&](size_t i) { return grad[i]; }),
                            products = features.Sum(
                                x.size(), [&](size_t i) { return grad[i] * centered(i); }),
                            grad_scale = features.Sum(x.size(), [&](size_t i) {
                              return grad[i] * (centered(i) / deviation(i));
                            });
  std::vector<double> grad_operand;
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t f = features.Of(i);
    const double rest =
        grad[i] * n - grad_offset[f] - products[f] * centered(i) / (variance[f] + epsilon);
    grad_operand.push_back(scale[f] / deviation(i) / n * rest);
  }
  const auto& shapes = in.shape().tuple_shapes();
  return Value(std::vector<Value>{Value(ToLiteral(grad_operand, shapes[0])),
                                  Value(ToLiteral(grad_scale, shapes[1])),
                                  Value(ToLiteral(grad_offset, shapes[2]))});
}

}  // namespace sinter::eval
