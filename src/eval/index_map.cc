// Operations whose result's elements are elements of their operands: each is a strided copy.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

// Whether there is nothing within these dimensions.
bool IsEmpty(const Dims& dimensions) {
  return std::any_of(dimensions.begin(), dimensions.end(), [](int64_t d) { return d <= 0; });
}

template <size_t kBytes>
void CopyRow(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, kBytes);
  }
}

Strided RowMajor(const Literal& x) { return {0, RowMajorStrides(x.shape().dimensions())}; }

// Starts of a dynamic slice, clamped so that a window of `sizes` is within the operand. The
// operands from `first` on are scalars.
Dims ClampedStarts(const Input& in, size_t first, const Dims& operand, const Dims& sizes) {
  Dims starts(operand.size());
  for (size_t d = 0; d < operand.size(); ++d) {
    starts[d] = std::clamp<int64_t>(LoadIndex(in.array(first + d)), 0, operand[d] - sizes[d]);
  }
  return starts;
}

int64_t OffsetOf(const Dims& coordinates, const Dims& strides) {
  return std::inner_product(coordinates.begin(), coordinates.end(), strides.begin(), int64_t{0});
}

}  // namespace

Dims RowMajorStrides(const Dims& dimensions) {
  Dims strides(dimensions.size(), 1);
  for (size_t d = dimensions.size(); d-- > 1;) strides[d - 1] = strides[d] * dimensions[d];
  return strides;
}

void CopyStrided(const Dims& dimensions, const Literal& from, const Strided& source, Literal& to,
                 const Strided& destination) {
  if (IsEmpty(dimensions)) return;
  int64_t width = ByteWidth(from.shape().element_type());
  const char* in = static_cast<const char*>(from.untyped_data()) + source.offset * width;
  char* out = static_cast<char*>(to.untyped_data()) + destination.offset * width;
  size_t rank = dimensions.size();
  int64_t row = rank ? dimensions[rank - 1] : 1;
  int64_t in_step = rank ? source.strides[rank - 1] * width : 0;
  int64_t out_step = rank ? destination.strides[rank - 1] * width : 0;
  Dims at(rank, 0);
  for (;;) {
    switch (width) {
      case 1:
        CopyRow<1>(in, in_step, out, out_step, row);
        break;
      case 2:
        CopyRow<2>(in, in_step, out, out_step, row);
        break;
      case 4:
        CopyRow<4>(in, in_step, out, out_step, row);
        break;
      case 8:
        CopyRow<8>(in, in_step, out, out_step, row);
        break;
      default:
        CopyRow<16>(in, in_step, out, out_step, row);
        break;
    }
    // The next row: count up the dimensions but the last, the minor ones first.
    size_t d = rank ? rank - 1 : 0;
    for (; d > 0; --d) {
      in += source.strides[d - 1] * width;
      out += destination.strides[d - 1] * width;
      if (++at[d - 1] < dimensions[d - 1]) break;
      in -= source.strides[d - 1] * width * dimensions[d - 1];
      out -= destination.strides[d - 1] * width * dimensions[d - 1];
      at[d - 1] = 0;
    }
    if (d == 0) return;
  }
}

// The position along the dimension, modulo the width of an integer type.
absl::StatusOr<Value> Iota(const Input& in) {
  auto dimension = static_cast<size_t>(in.instruction.attrs<IotaAttrs>().iota_dimension);
  const Dims& dimensions = in.shape().dimensions();
  int64_t extent = dimensions[dimension], stride = RowMajorStrides(dimensions)[dimension];
  Literal positions(Shape(ElementType::S64, dimensions));
  auto out = positions.data<int64_t>();
  for (size_t i = 0; i < out.size(); ++i) out[i] = static_cast<int64_t>(i) / stride % extent;
  return Value(ConvertTo(positions, in.shape().element_type()));
}

// Operand dimension i is result dimension dimensions[i]; an extent of 1 is repeated.
absl::StatusOr<Value> Broadcast(const Input& in) {
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  Strided source{0, Dims(result.shape().dimensions().size(), 0)};
  Dims strides = RowMajorStrides(x.shape().dimensions());
  for (size_t i = 0; i < strides.size(); ++i) {
    if (x.shape().dimensions()[i] == 1) continue;
    source.strides[static_cast<size_t>(in.instruction.dimensions()[i])] = strides[i];
  }
  CopyStrided(result.shape().dimensions(), x, source, result, RowMajor(result));
  return Value(std::move(result));
}

absl::StatusOr<Value> Reshape(const Input& in) {
  ASSIGN_OR_RETURN(Literal result, in.array(0).Reshape(in.shape().dimensions()));
  return Value(std::move(result));
}

// Result dimension i is operand dimension dimensions[i].
absl::StatusOr<Value> Transpose(const Input& in) {
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  Dims strides = RowMajorStrides(x.shape().dimensions());
  Strided source;
  for (int64_t d : in.instruction.dimensions()) {
    source.strides.push_back(strides[static_cast<size_t>(d)]);
  }
  CopyStrided(result.shape().dimensions(), x, source, result, RowMajor(result));
  return Value(std::move(result));
}

absl::StatusOr<Value> Reverse(const Input& in) {
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  Strided source = RowMajor(x);
  for (int64_t dimension : in.instruction.dimensions()) {
    auto d = static_cast<size_t>(dimension);
    source.offset += (x.shape().dimensions()[d] - 1) * source.strides[d];
    source.strides[d] = -source.strides[d];
  }
  CopyStrided(result.shape().dimensions(), x, source, result, RowMajor(result));
  return Value(std::move(result));
}

absl::StatusOr<Value> Slice(const Input& in) {
  const Literal& x = in.array(0);
  const auto& attrs = in.instruction.attrs<SliceAttrs>();
  Literal result = NewResult(in);
  Strided source = RowMajor(x);
  source.offset = OffsetOf(attrs.starts, source.strides);
  for (size_t d = 0; d < source.strides.size(); ++d) {
    if (!attrs.strides.empty()) source.strides[d] *= attrs.strides[d];
  }
  CopyStrided(result.shape().dimensions(), x, source, result, RowMajor(result));
  return Value(std::move(result));
}

// Element i of the operand is at low + i * (interior + 1); those outside the result are dropped.
absl::StatusOr<Value> Pad(const Input& in) {
  const Literal &x = in.array(0), &padding = in.array(1);
  const auto& attrs = in.instruction.attrs<PadAttrs>();
  Literal result = NewResult(in);
  const Dims &dimensions = x.shape().dimensions(), &bounds = result.shape().dimensions();
  CopyStrided(bounds, padding, {0, Dims(bounds.size(), 0)}, result, RowMajor(result));

  Strided source = RowMajor(x), destination = RowMajor(result);
  Dims counts;
  for (size_t d = 0; d < dimensions.size(); ++d) {
    int64_t step = attrs.interior.empty() ? 1 : attrs.interior[d] + 1, low = attrs.low[d];
    int64_t first = low < 0 ? (-low + step - 1) / step : 0;  // the first and last element inside
    int64_t last = bounds[d] - 1 - low < 0 ? -1 : (bounds[d] - 1 - low) / step;
    counts.push_back(std::min(last, dimensions[d] - 1) - first + 1);
    source.offset += first * source.strides[d];
    destination.offset += (low + first * step) * destination.strides[d];
    destination.strides[d] *= step;
  }
  CopyStrided(counts, x, source, result, destination);
  return Value(std::move(result));
}

absl::StatusOr<Value> Concatenate(const Input& in) {
  auto dimension = static_cast<size_t>(in.instruction.dimensions()[0]);
  Literal result = NewResult(in);
  Strided destination = RowMajor(result);
  for (size_t i = 0; i < in.operands.size(); ++i) {
    const Literal& x = in.array(i);
    CopyStrided(x.shape().dimensions(), x, RowMajor(x), result, destination);
    destination.offset += x.shape().dimensions()[dimension] * destination.strides[dimension];
  }
  return Value(std::move(result));
}

absl::StatusOr<Value> DynamicSlice(const Input& in) {
  const Literal& x = in.array(0);
  Literal result = NewResult(in);
  Strided source = RowMajor(x);
  Dims starts = ClampedStarts(in, 1, x.shape().dimensions(), result.shape().dimensions());
  source.offset = OffsetOf(starts, source.strides);
  CopyStrided(result.shape().dimensions(), x, source, result, RowMajor(result));
  return Value(std::move(result));
}

// In place where nothing else holds the operand, so that loops that fill an array take linear time.
absl::StatusOr<Value> DynamicUpdateSlice(const Input& in) {
  const Literal& update = in.array(1);
  const Dims& sizes = update.shape().dimensions();
  Dims starts = ClampedStarts(in, 2, in.array(0).shape().dimensions(), sizes);
  Value& operand = in.operands[0];
  if (!operand.Unshared()) operand = Value(Literal(operand.array()));
  Literal& result = *operand.Unshared();
  Strided destination = RowMajor(result);
  destination.offset = OffsetOf(starts, destination.strides);
  CopyStrided(sizes, update, RowMajor(update), result, destination);
  return std::move(operand);
}

}  // namespace sinter::eval
