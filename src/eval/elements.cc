#include "eval/elements.h"

#include <algorithm>

#include "types/small_floats.h"

namespace sinter::eval {
namespace {

using E = ElementType;

template <class T, class Wide>
void LoadAs(const Literal& from, int64_t first, int64_t count, Wide* out) {
  const T* in = from.data<T>().data() + first;
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<Wide>(in[i]);
}

template <class T, class Wide>
void StoreAs(Literal& to, int64_t first, int64_t count, const Wide* in) {
  T* out = to.data<T>().data() + first;
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(in[i]);
}

// Elements of types below a byte have one byte each.
template <class T, class Wide>
void StoreNarrow(Literal& to, int64_t first, int64_t count, const Wide* in) {
  T* out = to.data<T>().data() + first;
  ElementType t = to.shape().element_type();
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(RoundTo(t, in[i]));
}

template <class T>
void LoadFloat(const Literal& from, int64_t first, int64_t count, double* out) {
  FloatFormat format = *FormatOf(from.shape().element_type());
  const T* in = from.data<T>().data() + first;
  for (int64_t i = 0; i < count; ++i) out[i] = DecodeFloat(format, in[i]);
}

template <class T>
void StoreFloat(Literal& to, int64_t first, int64_t count, const double* in) {
  FloatFormat format = *FormatOf(to.shape().element_type());
  T* out = to.data<T>().data() + first;
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(EncodeFloat(format, in[i]));
}

}  // namespace

void Load(const Literal& from, int64_t first, int64_t count, bool* out) {
  const auto* in = from.data<uint8_t>().data() + first;
  for (int64_t i = 0; i < count; ++i) out[i] = in[i] != 0;
}

void Load(const Literal& from, int64_t first, int64_t count, int64_t* out) {
  switch (BitWidth(from.shape().element_type())) {
    case 16:
      return LoadAs<int16_t>(from, first, count, out);
    case 32:
      return LoadAs<int32_t>(from, first, count, out);
    case 64:
      return LoadAs<int64_t>(from, first, count, out);
    default:
      return LoadAs<int8_t>(from, first, count, out);
  }
}

void Load(const Literal& from, int64_t first, int64_t count, uint64_t* out) {
  switch (BitWidth(from.shape().element_type())) {
    case 16:
      return LoadAs<uint16_t>(from, first, count, out);
    case 32:
      return LoadAs<uint32_t>(from, first, count, out);
    case 64:
      return LoadAs<uint64_t>(from, first, count, out);
    default:
      return LoadAs<uint8_t>(from, first, count, out);
  }
}

void Load(const Literal& from, int64_t first, int64_t count, double* out) {
  switch (from.shape().element_type()) {
    case E::F64:
      return LoadAs<double>(from, first, count, out);
    case E::F32:
      return LoadAs<float>(from, first, count, out);
    case E::F16:
    case E::BF16:
      return LoadFloat<uint16_t>(from, first, count, out);
    default:
      return LoadFloat<uint8_t>(from, first, count, out);
  }
}

void Load(const Literal& from, int64_t first, int64_t count, Complex* out) {
  if (from.shape().element_type() == E::C64) {
    return LoadAs<std::complex<float>>(from, first, count, out);
  }
  return LoadAs<Complex>(from, first, count, out);
}

void Store(Literal& to, int64_t first, int64_t count, const bool* in) {
  StoreAs<uint8_t>(to, first, count, in);
}

void Store(Literal& to, int64_t first, int64_t count, const int64_t* in) {
  switch (BitWidth(to.shape().element_type())) {
    case 8:
      return StoreAs<int8_t>(to, first, count, in);
    case 16:
      return StoreAs<int16_t>(to, first, count, in);
    case 32:
      return StoreAs<int32_t>(to, first, count, in);
    case 64:
      return StoreAs<int64_t>(to, first, count, in);
    default:
      return StoreNarrow<int8_t>(to, first, count, in);
  }
}

void Store(Literal& to, int64_t first, int64_t count, const uint64_t* in) {
  switch (BitWidth(to.shape().element_type())) {
    case 8:
      return StoreAs<uint8_t>(to, first, count, in);
    case 16:
      return StoreAs<uint16_t>(to, first, count, in);
    case 32:
      return StoreAs<uint32_t>(to, first, count, in);
    case 64:
      return StoreAs<uint64_t>(to, first, count, in);
    default:
      return StoreNarrow<uint8_t>(to, first, count, in);
  }
}

void Store(Literal& to, int64_t first, int64_t count, const double* in) {
  switch (to.shape().element_type()) {
    case E::F64:
      return StoreAs<double>(to, first, count, in);
    case E::F32:
      return StoreAs<float>(to, first, count, in);
    case E::F16:
    case E::BF16:
      return StoreFloat<uint16_t>(to, first, count, in);
    default:
      return StoreFloat<uint8_t>(to, first, count, in);
  }
}

void Store(Literal& to, int64_t first, int64_t count, const Complex* in) {
  if (to.shape().element_type() == E::C64) {
    return StoreAs<std::complex<float>>(to, first, count, in);
  }
  return StoreAs<Complex>(to, first, count, in);
}

bool RoundTo(ElementType, bool x) { return x; }

int64_t RoundTo(ElementType t, int64_t x) {
  int unused = 64 - BitWidth(t);
  return static_cast<int64_t>(static_cast<uint64_t>(x) << unused) >> unused;
}

uint64_t RoundTo(ElementType t, uint64_t x) {
  int unused = 64 - BitWidth(t);
  return x << unused >> unused;
}

double RoundTo(ElementType t, double x) {
  if (t == E::F64) return x;
  if (t == E::F32) return static_cast<float>(x);
  FloatFormat format = *FormatOf(t);
  return DecodeFloat(format, EncodeFloat(format, x));
}

Complex RoundTo(ElementType t, Complex x) {
  E part = RealPart(t);
  return {RoundTo(part, x.real()), RoundTo(part, x.imag())};
}

int64_t LoadIndex(const Literal& from, int64_t at) {
  if (IsSigned(from.shape().element_type())) return LoadOne<int64_t>(from, at);
  return static_cast<int64_t>(std::min<uint64_t>(LoadOne<uint64_t>(from, at), INT64_MAX));
}

}  // namespace sinter::eval
