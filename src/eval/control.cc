// Operations that pass values on, and those that call computations.
#include <algorithm>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {

absl::StatusOr<Value> Constant(const Input& in) {
  return Value(in.instruction.attrs<ConstantAttrs>().value);
}

absl::StatusOr<Value> Tuple(const Input& in) {
  return Value(std::vector<Value>(std::make_move_iterator(in.operands.begin()),
                                  std::make_move_iterator(in.operands.end())));
}

absl::StatusOr<Value> GetTupleElement(const Input& in) {
  auto index = static_cast<size_t>(in.instruction.attrs<TupleElementAttrs>().index);
  return in.operands[0].tuple()[index];
}

absl::StatusOr<Value> Identity(const Input& in) { return std::move(in.operands[0]); }

absl::StatusOr<Value> AfterAll(const Input&) { return Value(Literal(Shape::Token())); }

absl::StatusOr<Value> Unreachable(const Input& in) {
  return Internal("'{}' has no function in the interpreter", in.instruction.name());
}

absl::StatusOr<Value> Call(const Input& in) {
  return in.evaluator.Call(in.called(0), {std::make_move_iterator(in.operands.begin()),
                                          std::make_move_iterator(in.operands.end())});
}

// The computation for each element, on scalars.
absl::StatusOr<Value> Map(const Input& in) {
  Literal result = NewResult(in);
  for (int64_t i = 0; i < result.shape().element_count(); ++i) {
    std::vector<Value> arguments;
    for (size_t k = 0; k < in.operands.size(); ++k) {
      Literal scalar(Shape(in.array(k).shape().element_type()));
      CopyStrided({}, in.array(k), {i, {}}, scalar, {});
      arguments.emplace_back(std::move(scalar));
    }
    ASSIGN_OR_RETURN(Value element, in.evaluator.Call(in.called(0), std::move(arguments)));
    CopyStrided({}, element.array(), {}, result, {i, {}});
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> While(const Input& in) {
  Value state = std::move(in.operands[0]);
  for (;;) {
    ASSIGN_OR_RETURN(Value condition, in.evaluator.Call(in.called(0), {state}));
    if (!LoadOne<bool>(condition.array())) return state;
    std::vector<Value> arguments;
    arguments.push_back(std::move(state));
    ASSIGN_OR_RETURN(state, in.evaluator.Call(in.called(1), std::move(arguments)));
  }
}

// The computation for each element in turn, the last first if reversed; what it gives besides the
// carries is written at the element's place.
absl::StatusOr<Value> Scan(const Input& in) {
  const auto& attrs = in.instruction.attrs<ScanAttrs>();
  const int64_t d = attrs.dimensions[0];
  const auto inputs = in.operands.size() - static_cast<size_t>(attrs.num_carries);
  // An array's strides without those of dimension d, and that stride.
  auto split = [&](const Shape& shape, Strided* element) {
    element->strides = RowMajorStrides(shape.dimensions());
    const int64_t stride = element->strides[static_cast<size_t>(d)];
    element->strides.erase(element->strides.begin() + d);
    return stride;
  };
  std::vector<Shape> shapes{in.shape()};
  if (in.shape().is_tuple()) shapes = in.shape().tuple_shapes();
  const size_t outputs = shapes.size() - static_cast<size_t>(attrs.num_carries);
  // A static dimension beside a dynamic one is as long as that.
  int64_t length = in.array(0).shape().dimension(d);
  for (size_t k = 1; k < inputs; ++k) length = std::min(length, in.array(k).shape().dimension(d));
  // Of no step, nothing says how long other dimensions are that may be shorter than their bounds.
  std::vector<Literal> stacked;
  for (size_t k = 0; k < outputs; ++k) {
    Dims sizes = shapes[k].dimensions();
    sizes[static_cast<size_t>(d)] = length;
    stacked.emplace_back(Shape(shapes[k].element_type(), std::move(sizes)));
  }
  std::vector<Value> carries(
      std::make_move_iterator(in.operands.begin() + static_cast<ptrdiff_t>(inputs)),
      std::make_move_iterator(in.operands.end()));

  for (int64_t step = 0; step < length; ++step) {
    const int64_t at = attrs.is_reverse ? length - 1 - step : step;
    std::vector<Value> arguments;
    for (size_t k = 0; k < inputs; ++k) {
      const Shape& shape = in.array(k).shape();
      Dims dims = shape.dimensions();
      dims.erase(dims.begin() + d);
      Literal element(Shape(shape.element_type(), dims));
      Strided source;
      source.offset = at * split(shape, &source);
      CopyStrided(dims, in.array(k), source, element, {0, RowMajorStrides(dims)});
      arguments.emplace_back(std::move(element));
    }
    for (Value& carry : carries) arguments.push_back(std::move(carry));
    ASSIGN_OR_RETURN(Value given, in.evaluator.Call(in.called(0), std::move(arguments)));
    std::vector<Value> results =
        in.shape().is_tuple() ? given.tuple() : std::vector<Value>{std::move(given)};
    given = Value();  // so that nothing but the carries holds them
    for (size_t k = 0; k < outputs; ++k) {
      Dims dims = results[k].array().shape().dimensions(), sizes = dims;
      sizes.insert(sizes.begin() + d, length);
      if (step == 0) {
        stacked[k] = Literal(Shape(shapes[k].element_type(), sizes));
      } else if (sizes != stacked[k].shape().dimensions()) {
        return InvalidArgument("step {} gives {}, the one before gave others for {}", step,
                               results[k].array().shape().ToString(),
                               stacked[k].shape().ToString());
      }
      Strided to;
      to.offset = at * split(stacked[k].shape(), &to);
      CopyStrided(dims, results[k].array(), {0, RowMajorStrides(dims)}, stacked[k], to);
    }
    carries.assign(std::make_move_iterator(results.begin() + static_cast<ptrdiff_t>(outputs)),
                   std::make_move_iterator(results.end()));
  }
  std::vector<Value> results;
  for (Literal& x : stacked) results.emplace_back(std::move(x));
  for (Value& carry : carries) results.push_back(std::move(carry));
  return in.shape().is_tuple() ? Value(std::move(results)) : std::move(results[0]);
}

// Branch i takes operand i+1. A predicate takes the first branch if true; an index outside the
// branches takes the last.
absl::StatusOr<Value> Conditional(const Input& in) {
  const Literal& which = in.array(0);
  auto last = static_cast<int64_t>(in.instruction.called().size()) - 1;
  int64_t branch;
  if (IsPredicate(which.shape().element_type())) {
    branch = LoadOne<bool>(which) ? 0 : 1;
  } else {
    branch = LoadIndex(which);
    if (branch < 0 || branch > last) branch = last;
  }
  auto at = static_cast<size_t>(branch);
  std::vector<Value> arguments;
  arguments.push_back(std::move(in.operands[at + 1]));
  return in.evaluator.Call(in.called(at), std::move(arguments));
}

}  // namespace sinter::eval
