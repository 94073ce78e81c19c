// Tiles of the interpreter: flat arrays of one C++ type per element type, and loops over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "codegen/kernel/kernel.h"
#include "sinter/element_type.h"
#include "sinter/float_types.h"

namespace sinter::kernel {

// A predicate, 0 or 1; a type of its own, so that conversions distinguish it from U8.
struct Pred {
  uint8_t value = 0;
};

// A value's elements, row-major.
struct Tile {
  std::byte* data = nullptr;
  ElementType elem = ElementType::F32;
  int rows = 1, cols = 1;

  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data);
  }
  size_t size() const { return static_cast<size_t>(rows) * static_cast<size_t>(cols); }
};

// Calls f(std::type_identity<T>{}) with the C++ type of the elements. Only integers in the first,
// etc.
template <class F>
void WithInteger(ElementType elem, F f) {
  switch (elem) {
    case ElementType::S8:
      return f(std::type_identity<int8_t>{});
    case ElementType::S16:
      return f(std::type_identity<int16_t>{});
    case ElementType::S32:
      return f(std::type_identity<int32_t>{});
    case ElementType::S64:
      return f(std::type_identity<int64_t>{});
    case ElementType::U8:
      return f(std::type_identity<uint8_t>{});
    case ElementType::U16:
      return f(std::type_identity<uint16_t>{});
    case ElementType::U32:
      return f(std::type_identity<uint32_t>{});
    case ElementType::U64:
      return f(std::type_identity<uint64_t>{});
    default:
      return;
  }
}
template <class F>
void WithFloat(ElementType elem, F f) {  // those of arithmetic
  if (elem == ElementType::F32) return f(std::type_identity<float>{});
  if (elem == ElementType::F64) return f(std::type_identity<double>{});
}
template <class F>
void WithNumber(ElementType elem, F f) {
  IsFloat(elem) ? WithFloat(elem, f) : WithInteger(elem, f);
}
template <class F>
void WithElement(ElementType elem, F f) {
  switch (elem) {
    case ElementType::PRED:
      return f(std::type_identity<Pred>{});
    case ElementType::BF16:
      return f(std::type_identity<bfloat16>{});
    case ElementType::F16:
      return f(std::type_identity<half>{});
    default:
      return WithNumber(elem, f);
  }
}
// An unsigned integer of the element's width, for what only moves elements.
template <class F>
void WithBits(ElementType elem, F f) {
  switch (ByteWidth(elem)) {
    case 1:
      return f(std::type_identity<uint8_t>{});
    case 2:
      return f(std::type_identity<uint16_t>{});
    case 4:
      return f(std::type_identity<uint32_t>{});
    default:
      return f(std::type_identity<uint64_t>{});
  }
}

namespace internal {
template <class Out, class... In, size_t... I, class F>
void MapRows(std::index_sequence<I...>, const Tile& out, const Tile* in, F f) {
  const bool whole = ((in[I].cols == out.cols) && ...);
  for (int r = 0; r < out.rows; ++r) {
    Out* o = out.as<Out>() + static_cast<ptrdiff_t>(r) * out.cols;
    auto loop = [&](auto step, const In*... p) {
      for (ptrdiff_t c = 0; c < out.cols; ++c) o[c] = f(p[step(I, c)]...);
    };
    auto row = [&](size_t i) {
      return in[i].rows == 1 ? 0 : static_cast<ptrdiff_t>(r) * in[i].cols;
    };
    if (whole) {
      loop([](size_t, ptrdiff_t c) { return c; }, in[I].template as<In>() + row(I)...);
    } else {
      const ptrdiff_t steps[] = {in[I].cols == out.cols...};
      loop([&](size_t i, ptrdiff_t c) { return c * steps[i]; },
           in[I].template as<In>() + row(I)...);
    }
  }
}
}  // namespace internal

// out = f(in...), element by element; operands of extent 1 are repeated.
template <class Out, class... In, class F>
void Map(const Tile& out, const Tile* in, F f) {
  internal::MapRows<Out, In...>(std::index_sequence_for<In...>{}, out, in, f);
}

// out = in, which may be repeated; of one element type.
inline void CopyTile(const Tile& out, const Tile& in) {
  WithBits(out.elem,
           [&]<class T>(std::type_identity<T>) { Map<T, T>(out, &in, [](T x) { return x; }); });
}

// Runs a pointwise operation; `in` are its operands.
void EvaluatePointwise(const Op& op, const Tile& out, const Tile* in);
// out = in converted, as kCvt.
void EvaluateConvert(const Tile& out, const Tile& in);

}  // namespace sinter::kernel
