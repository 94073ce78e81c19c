// sort and topk.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

using Order = std::vector<int64_t>;

// Merge sort from the bottom up: of two elements of which neither comes before the other, the
// earlier one stays first. That holds for any `before`, whether it is an order or not.
template <class Before>
void MergeSort(Order& order, Before before) {
  const size_t n = order.size();
  Order merged(n);
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t first = 0; first < n; first += 2 * width) {
      const size_t middle = std::min(first + width, n), last = std::min(first + 2 * width, n);
      size_t left = first, right = middle;
      for (size_t out = first; out < last; ++out) {
        bool take_right = left == middle || (right < last && before(order[right], order[left]));
        merged[out] = order[take_right ? right++ : left++];
      }
    }
    order.swap(merged);
  }
}

// Calls body(first, stride) for each row along `dimension`: its elements are at first + i * stride.
template <class Body>
void ForRows(const Shape& shape, size_t dimension, Body body) {
  const Dims& dimensions = shape.dimensions();
  const int64_t extent = dimensions[dimension], stride = RowMajorStrides(dimensions)[dimension];
  if (shape.element_count() == 0) return;
  const int64_t rows = shape.element_count() / extent;
  for (int64_t row = 0; row < rows; ++row) {
    body(row / stride * stride * extent + row % stride, stride);
  }
}

Value TupleOf(std::vector<Literal> results) {
  std::vector<Value> elements;
  for (Literal& r : results) elements.emplace_back(std::move(r));
  return Value(std::move(elements));
}

}  // namespace

// Always stable.
absl::StatusOr<Value> Sort(const Input& in) {
  const size_t inputs = in.operands.size();
  const auto dimension = static_cast<size_t>(in.instruction.attrs<SortAttrs>().dimensions[0]);
  const Shape& shape = in.array(0).shape();
  const auto extent = static_cast<size_t>(shape.dimensions()[dimension]);
  std::vector<Literal> results;
  for (size_t i = 0; i < inputs; ++i) results.emplace_back(in.array(i).shape());
  absl::Status status;
  ForRows(shape, dimension, [&](int64_t first, int64_t stride) {
    std::vector<Value> row;  // scalars: element e of operand i at e * inputs + i
    for (size_t e = 0; e < extent; ++e) {
      for (size_t i = 0; i < inputs; ++i) {
        Literal x(Shape(in.array(i).shape().element_type()));
        CopyStrided({}, in.array(i), {first + static_cast<int64_t>(e) * stride, {}}, x, {});
        row.emplace_back(std::move(x));
      }
    }
    Order order(extent);
    std::iota(order.begin(), order.end(), 0);
    MergeSort(order, [&](int64_t a, int64_t b) {
      if (!status.ok()) return false;
      std::vector<Value> arguments;
      for (size_t i = 0; i < inputs; ++i) {
        arguments.push_back(row[static_cast<size_t>(a) * inputs + i]);
        arguments.push_back(row[static_cast<size_t>(b) * inputs + i]);
      }
      auto less = in.evaluator.Call(in.called(0), std::move(arguments));
      if (!less.ok()) status = less.status();
      return less.ok() && LoadOne<bool>(less->array());
    });
    for (size_t e = 0; e < extent; ++e) {
      for (size_t i = 0; i < inputs; ++i) {
        CopyStrided({}, row[static_cast<size_t>(order[e]) * inputs + i].array(), {}, results[i],
                    {first + static_cast<int64_t>(e) * stride, {}});
      }
    }
  });
  if (!status.ok()) return status;
  if (inputs == 1) return Value(std::move(results[0]));
  return TupleOf(std::move(results));
}

// Floats by their total order, or that of merged ones; of equal elements the earlier one first.
absl::StatusOr<Value> TopK(const Input& in) {
  const Literal& x = in.array(0);
  const auto& attrs = in.instruction.attrs<TopKAttrs>();
  const ElementType t = x.shape().element_type();
  const auto dimension = static_cast<size_t>(x.shape().rank()) - 1;
  Literal values(in.shape().tuple_shapes()[0]), indices(in.shape().tuple_shapes()[1]);
  int64_t next = 0;
  ForRows(x.shape(), dimension, [&](int64_t first, int64_t) {
    Order order(static_cast<size_t>(x.shape().dimensions()[dimension]));
    std::iota(order.begin(), order.end(), 0);
    auto sort_by = [&](auto key) {
      MergeSort(order, [&](int64_t a, int64_t b) {
        return attrs.largest ? key(first + a) > key(first + b) : key(first + a) < key(first + b);
      });
    };
    if (attrs.merged) {
      sort_by([&](int64_t at) {
        const auto v = LoadOne<double>(x, at);
        return std::pair(std::isnan(v), std::isnan(v) ? 0. : v);
      });
    } else if (IsFloat(t)) {
      sort_by([&](int64_t at) { return TotalOrderKey(x, at); });
    } else {
      VisitWide(t, [&](auto wide) {
        if constexpr (!std::is_same_v<decltype(wide), Complex>)
          sort_by([&](int64_t at) { return LoadOne<decltype(wide)>(x, at); });
      });
    }
    for (int64_t k = 0; k < attrs.k; ++k, ++next) {
      const int64_t at = order[static_cast<size_t>(k)];
      CopyStrided({}, x, {first + at, {}}, values, {next, {}});
      Store(indices, next, 1, &at);
    }
  });
  std::vector<Literal> results;
  results.push_back(std::move(values));
  results.push_back(std::move(indices));
  return TupleOf(std::move(results));
}

}  // namespace sinter::eval
