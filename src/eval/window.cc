// Operations over windows: windows, reduce-window, select-and-scatter.
#include <algorithm>

#include "eval/fold.h"
#include "ir/ops/monoid.h"

namespace sinter::eval {
namespace {

// Calls body(index) for each index within the bounds, in row-major order.
template <class Body>
void ForEachIndex(const Dims& bounds, Body body) {
  for (int64_t n : bounds) {
    if (n == 0) return;
  }
  Dims index(bounds.size(), 0);
  while (true) {
    body(index);
    size_t d = bounds.size();
    while (d > 0 && ++index[d - 1] == bounds[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

Dims SizesOf(const Window& window) {
  Dims sizes;
  for (const WindowDimension& w : window) sizes.push_back(w.size);
  return sizes;
}

// The row-major position, in an array of these dimensions, of the element at `offset` of the window
// at `index`; kPaddingPosition where there is padding.
int64_t PositionOf(const Dims& dimensions, const Window& window, const Dims& index,
                   const Dims& offset) {
  int64_t position = 0;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    const WindowDimension& w = window[d];
    int64_t at = index[d] * w.stride + offset[d] * w.window_dilation - w.padding_low;
    if (at < 0 || at % w.base_dilation != 0 || at / w.base_dilation >= dimensions[d])
      return kPaddingPosition;
    position = position * dimensions[d] + at / w.base_dilation;
  }
  return position;
}

const Shape& ResultShape(const Input& in) {
  return in.shape().is_tuple() ? in.shape().tuple_shapes()[0] : in.shape();
}

// Whether elements may be combined from the last to the first: of one operation for which that is
// known.
bool IsAssociative(const HloComputation& reducer) {
  const HloInstruction& root = *reducer.root();
  if (root.operands().size() != 2) return false;
  for (const HloInstruction* x : root.operands()) {
    if (x->op() != HloOpcode::Parameter) return false;
  }
  return IsMonoid(root.op());
}

}  // namespace

absl::StatusOr<Value> Windows(const Input& in) {
  const Literal& x = in.array(0);
  const Window& window = in.instruction.attrs<WindowAttrs>().window;
  Literal result = NewResult(in);
  Strided source;
  Dims strides = RowMajorStrides(x.shape().dimensions());
  for (size_t d = 0; d < window.size(); ++d)
    source.strides.push_back(strides[d] * window[d].stride);
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].size != 1) source.strides.push_back(strides[d] * window[d].window_dilation);
  }
  const Dims& dimensions = result.shape().dimensions();
  CopyStrided(dimensions, x, source, result, {0, RowMajorStrides(dimensions)});
  return Value(std::move(result));
}

// Elements of a window in row-major order. Where windows are cumulative each result continues from
// its neighbour's, which gives the same and takes time in proportion to the elements.
absl::StatusOr<Value> ReduceWindow(const Input& in) {
  const Window& window = in.instruction.attrs<WindowAttrs>().window;
  const Dims& dimensions = in.array(0).shape().dimensions();
  FoldOperands operands(in);
  std::optional<CumulativeWindow> cumulative = FindCumulative(dimensions, window);
  if (cumulative) {
    ASSIGN_OR_RETURN(bool stable, InitialIsStable(in, operands));
    if (!stable || (cumulative->backwards && !IsAssociative(*in.instruction.called(0))))
      cumulative.reset();
  }
  if (cumulative) {
    const size_t along = cumulative->dimension;
    const int64_t n = dimensions[along], stride = RowMajorStrides(dimensions)[along];
    Dims others = dimensions;
    others[along] = std::min<int64_t>(n, 1);
    return Fold(in, operands, [&](auto step) {
      ForEachIndex(others, [&](const Dims& index) {
        const int64_t first =
            PositionOf(dimensions, Window(dimensions.size()), index, Dims(dimensions.size(), 0));
        for (int64_t i = 0; i < n; ++i) {
          const int64_t at = first + (cumulative->backwards ? n - 1 - i : i) * stride;
          step(FoldStep{.result = at, .continues = i > 0, .element_first = cumulative->backwards},
               [&](auto visit) { visit(at); });
        }
      });
    });
  }
  const Dims sizes = SizesOf(window);
  int64_t next = 0;
  return Fold(in, operands, [&](auto step) {
    ForEachIndex(ResultShape(in).dimensions(), [&](const Dims& index) {
      step(FoldStep{.result = next++}, [&](auto visit) {
        ForEachIndex(sizes, [&](const Dims& offset) {
          visit(PositionOf(dimensions, window, index, offset));
        });
      });
    });
  });
}

// Each window selects an element of the operand, padding aside; the source's element is scattered
// there. A window without elements scatters nothing.
absl::StatusOr<Value> SelectAndScatter(const Input& in) {
  const Window& window = in.instruction.attrs<WindowAttrs>().window;
  const Literal& x = in.array(0);
  const Dims &dimensions = x.shape().dimensions(), sizes = SizesOf(window);
  const ElementType t = in.shape().element_type();
  const Literal source = ConvertTo(in.array(1), t), initial = ConvertTo(in.array(2), t);
  Literal result = NewResult(in);
  CopyStrided(dimensions, initial, {0, Dims(dimensions.size(), 0)}, result,
              {0, RowMajorStrides(dimensions)});
  absl::Status status;
  auto call = [&](size_t computation, const Literal& a, int64_t a_at, const Literal& b,
                  int64_t b_at) -> absl::StatusOr<Value> {
    return in.evaluator.Call(in.called(computation),
                             {Value(Scalar(a, a_at)), Value(Scalar(b, b_at))});
  };
  int64_t from = 0;
  ForEachIndex(source.shape().dimensions(), [&](const Dims& index) {
    int64_t selected = kPaddingPosition;
    ForEachIndex(sizes, [&](const Dims& offset) {
      const int64_t candidate = PositionOf(dimensions, window, index, offset);
      if (!status.ok() || candidate == kPaddingPosition) return;
      if (selected != kPaddingPosition) {
        absl::StatusOr<Value> keep = call(0, x, selected, x, candidate);
        status = keep.status();
        if (!keep.ok() || LoadOne<bool>(keep->array())) return;
      }
      selected = candidate;
    });
    if (status.ok() && selected != kPaddingPosition) {
      absl::StatusOr<Value> sum = call(1, result, selected, source, from);
      status = sum.status();
      if (sum.ok()) CopyStrided({}, sum->array(), {}, result, {selected, {}});
    }
    ++from;
  });
  if (!status.ok()) return status;
  return Value(std::move(result));
}

}  // namespace sinter::eval
