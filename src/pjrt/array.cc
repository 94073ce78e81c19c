#include "pjrt/array.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/status.h"

namespace sinter::pjrt {
namespace {

// Element type, PJRT's name and xla.PrimitiveType's number.
#define SINTER_PJRT_TYPES(X) \
  X(PRED, 1)                 \
  X(S2, 26)                  \
  X(S4, 21)                  \
  X(S8, 2)                   \
  X(S16, 3)                  \
  X(S32, 4)                  \
  X(S64, 5)                  \
  X(U2, 27)                  \
  X(U4, 22)                  \
  X(U8, 6)                   \
  X(U16, 7)                  \
  X(U32, 8)                  \
  X(U64, 9)                  \
  X(F4E2M1FN, 32)            \
  X(F6E2M3FN, 0)             \
  X(F6E3M2FN, 0)             \
  X(F8E3M4, 29)              \
  X(F8E4M3, 28)              \
  X(F8E4M3FN, 20)            \
  X(F8E4M3FNUZ, 25)          \
  X(F8E4M3B11FNUZ, 23)       \
  X(F8E5M2, 19)              \
  X(F8E5M2FNUZ, 24)          \
  X(F8E8M0FNU, 33)           \
  X(BF16, 16)                \
  X(F16, 10)                 \
  X(F32, 11)                 \
  X(F64, 12)                 \
  X(C64, 15)                 \
  X(C128, 18)                \
  X(TOKEN, 17)

// Copies `count` elements at distances.
template <size_t kWidth>
void CopyRow(int64_t count, const char* from, int64_t from_stride, char* to, int64_t to_stride) {
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to, from, kWidth);
    from += from_stride;
    to += to_stride;
  }
}

struct Dimension {
  int64_t size, from, to;
};

}  // namespace

absl::StatusOr<ElementType> ToElementType(PJRT_Buffer_Type type) {
  switch (type) {
#define SINTER_PJRT_CASE(name, number) \
  case PJRT_Buffer_Type_##name:        \
    return ElementType::name;
    SINTER_PJRT_TYPES(SINTER_PJRT_CASE)
#undef SINTER_PJRT_CASE
    case PJRT_Buffer_Type_S1:
    case PJRT_Buffer_Type_U1:
      return Unimplemented("integers of 1 bit");
    default:
      return InvalidArgument("unknown element type {}", static_cast<int>(type));
  }
}

PJRT_Buffer_Type ToBufferType(ElementType type) {
  switch (type) {
#define SINTER_PJRT_CASE(name, number) \
  case ElementType::name:              \
    return PJRT_Buffer_Type_##name;
    SINTER_PJRT_TYPES(SINTER_PJRT_CASE)
#undef SINTER_PJRT_CASE
    default:
      return PJRT_Buffer_Type_INVALID;
  }
}

int PrimitiveType(ElementType type) {
  switch (type) {
#define SINTER_PJRT_CASE(name, number) \
  case ElementType::name:              \
    return number;
    SINTER_PJRT_TYPES(SINTER_PJRT_CASE)
#undef SINTER_PJRT_CASE
    default:
      return 0;
  }
}
#undef SINTER_PJRT_TYPES

absl::StatusOr<std::vector<int64_t>> MinorToMajor(const Shape& shape,
                                                  const PJRT_Buffer_MemoryLayout& layout) {
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> order(rank);
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    if (layout.tiled.num_tiles != 0) return Unimplemented("a layout of tiles");
    if (layout.tiled.minor_to_major_size != rank) {
      return InvalidArgument("a layout of {} dimensions for {}", layout.tiled.minor_to_major_size,
                             shape.ToString());
    }
    std::copy_n(layout.tiled.minor_to_major, rank, order.begin());
    std::vector<bool> seen(rank);
    for (int64_t d : order) {
      if (d < 0 || d >= shape.rank() || seen[static_cast<size_t>(d)])
        return InvalidArgument("the layout of {} is no permutation", shape.ToString());
      seen[static_cast<size_t>(d)] = true;
    }
    return order;
  }
  if (layout.type != PJRT_Buffer_MemoryLayout_Type_Strides)
    return InvalidArgument("unknown type {} of a layout", static_cast<int>(layout.type));
  if (layout.strides.num_byte_strides != rank) {
    return InvalidArgument("{} strides for {}", layout.strides.num_byte_strides, shape.ToString());
  }
  // The order of the strides, if they are those of a dense array.
  const int64_t* strides = layout.strides.byte_strides;
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return strides[a] < strides[b]; });
  int64_t expected = ByteWidth(shape.element_type());
  for (int64_t d : order) {
    if (shape.dimension(d) > 1 && strides[d] != expected)
      return Unimplemented("strides of {} that leave gaps, repeat or go backwards",
                           shape.ToString());
    expected *= shape.dimension(d);
  }
  return order;
}

absl::StatusOr<Shape> MakeShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                                const PJRT_Buffer_MemoryLayout* layout) {
  ASSIGN_OR_RETURN(const ElementType element_type, ToElementType(type));
  if (num_dims > 0 && dims == nullptr) return InvalidArgument("{} dimensions at null", num_dims);
  ASSIGN_OR_RETURN(Shape shape, Shape::Make(element_type, absl::MakeConstSpan(dims, num_dims)));
  if (layout != nullptr) {
    ASSIGN_OR_RETURN(std::vector<int64_t> order, MinorToMajor(shape, *layout));
    if (!std::is_sorted(order.rbegin(), order.rend())) shape.set_minor_to_major(std::move(order));
  }
  return shape;
}

std::vector<int64_t> MinorToMajorOf(const Shape& shape) {
  if (!shape.minor_to_major().empty()) return shape.minor_to_major();
  std::vector<int64_t> order(static_cast<size_t>(shape.rank()));
  std::iota(order.rbegin(), order.rend(), int64_t{0});
  return order;
}

std::vector<int64_t> DenseStrides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = ByteWidth(shape.element_type());
  for (int64_t d : MinorToMajorOf(shape)) {
    strides[static_cast<size_t>(d)] = stride;
    stride *= shape.dimension(d);
  }
  return strides;
}

void CopyArray(const std::vector<int64_t>& dims, int64_t width, const void* from,
               absl::Span<const int64_t> from_strides, void* to,
               absl::Span<const int64_t> to_strides) {
  // From major to minor as the result is laid out, so that it is written in order; dimensions that
  // follow one another in both are one.
  std::vector<Dimension> order;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0) return;
    if (dims[d] > 1) order.push_back({dims[d], from_strides[d], to_strides[d]});
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const Dimension& a, const Dimension& b) { return a.to > b.to; });
  std::vector<Dimension> merged;
  for (const Dimension& d : order) {
    if (!merged.empty() && merged.back().from == d.from * d.size &&
        merged.back().to == d.to * d.size) {
      merged.back() = {merged.back().size * d.size, d.from, d.to};
    } else {
      merged.push_back(d);
    }
  }
  Dimension row{1, width, width};
  if (!merged.empty()) {
    row = merged.back();
    merged.pop_back();
  }
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  auto copy_row = [&] {
    if (row.from == width && row.to == width)
      std::memcpy(target, source, static_cast<size_t>(row.size * width));
    else if (width == 1)
      CopyRow<1>(row.size, source, row.from, target, row.to);
    else if (width == 2)
      CopyRow<2>(row.size, source, row.from, target, row.to);
    else if (width == 4)
      CopyRow<4>(row.size, source, row.from, target, row.to);
    else if (width == 8)
      CopyRow<8>(row.size, source, row.from, target, row.to);
    else
      CopyRow<16>(row.size, source, row.from, target, row.to);
  };
  std::vector<int64_t> at(merged.size(), 0);
  for (;;) {
    copy_row();
    size_t d = merged.size();
    while (d > 0) {
      const Dimension& dimension = merged[d - 1];
      source += dimension.from;
      target += dimension.to;
      if (++at[d - 1] < dimension.size) break;
      source -= dimension.from * dimension.size;
      target -= dimension.to * dimension.size;
      at[--d] = 0;
    }
    if (d == 0) return;
  }
}

}  // namespace sinter::pjrt
