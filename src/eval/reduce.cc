// reduce: sequential in index order, rounded after every step as the reducer's own operations round.
#include <algorithm>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

// The positions of elements in row-major order of some of their coordinates.
class Odometer {
 public:
  void AddDimension(int64_t extent, int64_t stride) {
    extents_.push_back(extent);
    strides_.push_back(stride);
    size_ *= extent;
  }
  // The number of positions.
  int64_t size() const { return size_; }

  // Calls body(position), which returns a status, for each position from `base`.
  template <class Body>
  absl::Status ForEach(int64_t base, Body body) const {
    Dims at(extents_.size(), 0);
    for (int64_t i = 0; i < size_; ++i) {
      RETURN_IF_ERROR(body(base));
      for (size_t d = extents_.size(); d-- > 0;) {
        base += strides_[d];
        if (++at[d] < extents_[d]) break;
        base -= strides_[d] * extents_[d];
        at[d] = 0;
      }
    }
    return absl::OkStatus();
  }

 private:
  Dims extents_, strides_;
  int64_t size_ = 1;
};

// A reducer that is one operation on its two parameters, which needs no interpretation for each element.
struct SimpleReducer {
  const BinaryKernel* kernel = nullptr;
  bool swapped = false;  // operation(element, accumulator)
};
SimpleReducer SimpleReducerOf(const Computation& reducer, ElementType t) {
  const Instruction& root = *reducer.root();
  const BinaryKernel* kernel = BinaryKernelOf(root.op());
  if (!kernel || reducer.parameters().size() != 2 || root.shape().element_type() != t) return {};
  auto is = [&](size_t operand, size_t parameter) {
    return root.operand(operand) == reducer.parameter(parameter);
  };
  if (is(0, 0) && is(1, 1)) return {kernel, false};
  if (is(0, 1) && is(1, 0)) return {kernel, true};
  return {};
}

Literal Scalar(const Literal& from, int64_t at) {
  Literal x(Shape(from.shape().element_type()));
  CopyStrided({}, from, {at, {}}, x, {});
  return x;
}

}  // namespace

absl::StatusOr<Value> Reduce(const Input& in) {
  size_t inputs = in.operands.size() / 2;
  const Shape& shape = in.array(0).shape();
  Odometer kept, reduced;
  Dims strides = RowMajorStrides(shape.dimensions());
  const Dims& reduced_dimensions = in.instruction.dimensions();
  for (size_t d = 0; d < strides.size(); ++d) {
    bool is_reduced = std::count(reduced_dimensions.begin(), reduced_dimensions.end(),
                                 static_cast<int64_t>(d)) != 0;
    (is_reduced ? reduced : kept).AddDimension(shape.dimensions()[d], strides[d]);
  }

  ElementType t = shape.element_type();
  SimpleReducer simple = inputs == 1 ? SimpleReducerOf(*in.called(0), t) : SimpleReducer{};
  if (simple.kernel && in.shape().element_type() == t) {
    return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
      using W = decltype(wide);
      if (!Has(*simple.kernel, wide)) return Unimplemented("reduce of {}", Name(t));
      Literal result = NewResult(in);
      int64_t next = 0;
      RETURN_IF_ERROR(kept.ForEach(0, [&](int64_t base) {
        W sum = LoadOne<W>(in.array(1));
        RETURN_IF_ERROR(reduced.ForEach(base, [&](int64_t at) {
          W x = LoadOne<W>(in.array(0), at);
          if (simple.swapped) std::swap(sum, x);
          sum = RoundTo(t, Apply(*simple.kernel, BitWidth(t), sum, x));
          return absl::OkStatus();
        }));
        Store(result, next++, 1, &sum);
        return absl::OkStatus();
      }));
      return Value(std::move(result));
    });
  }

  // reducer(accumulators..., elements...) -> accumulators
  const Shape& result_shape = in.shape();
  std::vector<Literal> results;
  for (size_t i = 0; i < inputs; ++i) {
    results.emplace_back(result_shape.is_tuple() ? result_shape.tuple_shapes()[i] : result_shape);
  }
  int64_t next = 0;
  RETURN_IF_ERROR(kept.ForEach(0, [&](int64_t base) {
    std::vector<Value> sums(in.operands.begin() + static_cast<int64_t>(inputs), in.operands.end());
    RETURN_IF_ERROR(reduced.ForEach(base, [&](int64_t at) {
      std::vector<Value> arguments = std::move(sums);
      for (size_t i = 0; i < inputs; ++i) arguments.emplace_back(Scalar(in.array(i), at));
      ASSIGN_OR_RETURN(Value sum, in.evaluator.Call(in.called(0), std::move(arguments)));
      sums = sum.is_array() ? std::vector<Value>{sum} : sum.tuple();
      return absl::OkStatus();
    }));
    for (size_t i = 0; i < inputs; ++i) {
      CopyStrided({}, sums[i].array(), {}, results[i], {next, {}});
    }
    ++next;
    return absl::OkStatus();
  }));
  if (!result_shape.is_tuple()) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& r : results) elements.emplace_back(std::move(r));
  return Value(std::move(elements));
}

}  // namespace sinter::eval
