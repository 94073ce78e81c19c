// reduce: sequential in index order, rounded after every step as the reducer's own operations
// round.
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

  // Calls body(position) for each position from `base`.
  template <class Body>
  void ForEach(int64_t base, Body body) const {
    Dims at(extents_.size(), 0);
    for (int64_t i = 0; i < size_; ++i) {
      body(base);
      for (size_t d = extents_.size(); d-- > 0;) {
        base += strides_[d];
        if (++at[d] < extents_[d]) break;
        base -= strides_[d] * extents_[d];
        at[d] = 0;
      }
    }
  }

 private:
  Dims extents_, strides_;
  int64_t size_ = 1;
};

Literal Scalar(const Literal& from, int64_t at) {
  Literal x(Shape(from.shape().element_type()));
  CopyStrided({}, from, {at, {}}, x, {});
  return x;
}

// Inputs and initial values in the types in which the reducer accumulates, which may be wider than
// theirs.
std::vector<Literal> Promote(const Input& in, size_t inputs) {
  std::vector<Literal> promoted;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    promoted.push_back(
        ConvertTo(in.array(i), in.called(0)->parameter(i % inputs)->shape().element_type()));
  }
  return promoted;
}

// One element for each position of `kept`. Floats below 32 bits accumulate in f32 and round once.
template <class W>
Literal ReduceSimply(const SimpleReducer& reducer, const Literal& x, const Literal& initial,
                     const Odometer& kept, const Odometer& reduced, const Shape& shape) {
  ElementType t = shape.element_type();
  const bool narrow = IsFloat(t) && BitWidth(t) < 32;
  const ElementType accumulator = narrow ? ElementType::F32 : t;
  Literal result(shape);
  int64_t next = 0;
  kept.ForEach(0, [&](int64_t base) {
    W sum = LoadOne<W>(initial);
    reduced.ForEach(base, [&](int64_t at) {
      W element = LoadOne<W>(x, at);
      if (reducer.swapped) std::swap(sum, element);
      sum = RoundTo(accumulator, Apply(*reducer.kernel, BitWidth(t), sum, element));
    });
    if (narrow) sum = RoundTo(t, sum);
    Store(result, next++, 1, &sum);
  });
  return result;
}

}  // namespace

SimpleReducer SimpleReducerOf(const HloComputation& reducer, ElementType t) {
  const HloInstruction& root = *reducer.root();
  const BinaryKernel* kernel = BinaryKernelOf(root.op());
  if (!kernel || reducer.parameters().size() != 2 || root.shape().element_type() != t) return {};
  auto is = [&](size_t operand, size_t parameter) {
    return root.operand(operand) == reducer.parameter(parameter);
  };
  if (is(0, 0) && is(1, 1)) return {kernel, false};
  if (is(0, 1) && is(1, 0)) return {kernel, true};
  return {};
}

absl::StatusOr<Value> Reduce(const Input& in) {
  size_t inputs = in.operands.size() / 2;
  const Dims& dimensions = in.array(0).shape().dimensions();
  const Dims& reduced_dimensions = in.instruction.dimensions();
  Odometer kept, reduced;
  Dims strides = RowMajorStrides(dimensions);
  for (size_t d = 0; d < dimensions.size(); ++d) {
    bool is_reduced = std::count(reduced_dimensions.begin(), reduced_dimensions.end(),
                                 static_cast<int64_t>(d)) != 0;
    (is_reduced ? reduced : kept).AddDimension(dimensions[d], strides[d]);
  }
  std::vector<Literal> promoted;
  auto operand = [&](size_t i) -> const Literal& {
    return promoted.empty() ? in.array(i) : promoted[i];
  };
  bool same_types = true;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    same_types &= in.array(i).shape().element_type() ==
                  in.called(0)->parameter(i % inputs)->shape().element_type();
  }
  if (!same_types) promoted = Promote(in, inputs);

  if (inputs == 1) {
    ElementType t = in.shape().element_type();
    SimpleReducer simple = SimpleReducerOf(*in.called(0), t);
    if (simple.kernel) {
      return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
        using W = decltype(wide);
        if (!Has(*simple.kernel, wide)) return Unimplemented("reduce of {}", Name(t));
        return Value(ReduceSimply<W>(simple, operand(0), operand(1), kept, reduced, in.shape()));
      });
    }
  }

  // reducer(accumulators..., elements...) -> accumulators
  std::vector<Literal> results;
  for (size_t i = 0; i < inputs; ++i) {
    results.emplace_back(in.shape().is_tuple() ? in.shape().tuple_shapes()[i] : in.shape());
  }
  absl::Status status;
  int64_t next = 0;
  kept.ForEach(0, [&](int64_t base) {
    std::vector<Value> sums;
    for (size_t i = 0; i < inputs; ++i) sums.push_back(Value::Borrow(operand(inputs + i)));
    reduced.ForEach(base, [&](int64_t at) {
      if (!status.ok()) return;
      std::vector<Value> arguments = std::move(sums);
      for (size_t i = 0; i < inputs; ++i) arguments.emplace_back(Scalar(operand(i), at));
      auto sum = in.evaluator.Call(in.called(0), std::move(arguments));
      status = sum.status();
      if (sum.ok()) sums = sum->is_array() ? std::vector<Value>{*sum} : sum->tuple();
    });
    if (!status.ok()) return;
    for (size_t i = 0; i < inputs; ++i) {
      CopyStrided({}, sums[i].array(), {}, results[i], {next, {}});
    }
    ++next;
  });
  if (!status.ok()) return status;
  if (!in.shape().is_tuple()) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& r : results) elements.emplace_back(std::move(r));
  return Value(std::move(elements));
}

}  // namespace sinter::eval
