// Folding elements by a reducer, one result element after another: what reduce and reduce-window
// share.
#pragma once

#include <utility>
#include <vector>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {

// A reducer that is one operation on its two parameters, which needs no interpretation for each
// element.
struct SimpleReducer {
  const BinaryKernel* kernel = nullptr;
  bool swapped = false;  // operation(element, accumulator)
};
SimpleReducer SimpleReducerOf(const HloComputation& reducer, ElementType t);

// Element `at` by itself.
Literal Scalar(const Literal& from, int64_t at);

// Inputs, then initial values, of an instruction whose only called computation reduces them, in the
// types in which it accumulates, which may be wider than theirs.
class FoldOperands {
 public:
  explicit FoldOperands(const Input& in);
  size_t inputs() const { return count_; }
  const Literal& input(size_t i) const { return Get(i); }
  const Literal& initial(size_t i) const { return Get(count_ + i); }

 private:
  const Literal& Get(size_t i) const { return promoted_.empty() ? in_.array(i) : promoted_[i]; }
  const Input& in_;
  size_t count_;
  std::vector<Literal> promoted_;
};

inline constexpr int64_t kPaddingPosition = -1;  // stands for the initial value

// The elements that each result element is folded from.
struct FoldStep {
  int64_t result = 0;          // its row-major position
  bool continues = false;      // from where the step before ended, else from the initial value
  bool element_first = false;  // reducer(element, accumulator)
};

// Calls steps(step), which calls step(FoldStep, visitor) for each result element; visitor(visit)
// calls visit(position) for the positions of its elements, in order. In a reduce floats below 32
// bits accumulate in f32 and round once where the reducer is a single operation; over windows each
// step rounds, as the reducer says, since sums so far are results themselves.
template <class Steps>
absl::StatusOr<Value> Fold(const Input& in, const FoldOperands& operands, Steps steps) {
  const size_t inputs = operands.inputs();
  if (inputs == 1) {
    const ElementType t = in.shape().element_type();
    SimpleReducer simple = SimpleReducerOf(*in.called(0), t);
    if (simple.kernel) {
      return VisitWide(t, [&](auto wide) -> absl::StatusOr<Value> {
        using W = decltype(wide);
        if (!Has(*simple.kernel, wide))
          return Unimplemented("{} of {}", Name(in.instruction.op()), Name(t));
        const bool narrow =
            IsFloat(t) && BitWidth(t) < 32 && in.instruction.op() == HloOpcode::Reduce;
        const ElementType accumulator = narrow ? ElementType::F32 : t;
        Literal result(in.shape());
        const W initial = LoadOne<W>(operands.initial(0));
        W sum = initial;
        steps([&](const FoldStep& step, auto visitor) {
          if (!step.continues) sum = initial;
          visitor([&](int64_t at) {
            W element = at == kPaddingPosition ? initial : LoadOne<W>(operands.input(0), at);
            if (simple.swapped != step.element_first) std::swap(sum, element);
            sum = RoundTo(accumulator, Apply(*simple.kernel, BitWidth(t), sum, element));
          });
          W rounded = narrow ? RoundTo(t, sum) : sum;
          Store(result, step.result, 1, &rounded);
        });
        return Value(std::move(result));
      });
    }
  }

  // reducer(accumulators..., elements...) -> accumulators
  std::vector<Literal> results;
  for (size_t i = 0; i < inputs; ++i) {
    results.emplace_back(in.shape().is_tuple() ? in.shape().tuple_shapes()[i] : in.shape());
  }
  absl::Status status;
  std::vector<Value> sums;
  steps([&](const FoldStep& step, auto visitor) {
    if (!status.ok()) return;
    if (!step.continues) {
      sums.clear();
      for (size_t i = 0; i < inputs; ++i) sums.push_back(Value::Borrow(operands.initial(i)));
    }
    visitor([&](int64_t at) {
      if (!status.ok()) return;
      std::vector<Value> elements;
      for (size_t i = 0; i < inputs; ++i) {
        elements.push_back(at == kPaddingPosition ? Value::Borrow(operands.initial(i))
                                                  : Value(Scalar(operands.input(i), at)));
      }
      std::vector<Value> arguments = std::move(sums);
      if (step.element_first) std::swap(arguments, elements);
      arguments.insert(arguments.end(), elements.begin(), elements.end());
      auto sum = in.evaluator.Call(in.called(0), std::move(arguments));
      status = sum.status();
      if (sum.ok()) sums = sum->is_array() ? std::vector<Value>{*sum} : sum->tuple();
    });
    if (!status.ok()) return;
    for (size_t i = 0; i < inputs; ++i) {
      CopyStrided({}, sums[i].array(), {}, results[i], {step.result, {}});
    }
  });
  if (!status.ok()) return status;
  if (!in.shape().is_tuple()) return Value(std::move(results[0]));
  std::vector<Value> elements;
  for (Literal& r : results) elements.emplace_back(std::move(r));
  return Value(std::move(elements));
}

// Whether reducing the initial values with themselves gives the same bits again: then padding by
// them, before the elements, changes nothing.
absl::StatusOr<bool> InitialIsStable(const Input& in, const FoldOperands& operands);

}  // namespace sinter::eval
