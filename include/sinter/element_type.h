// Element types of tensors: all of StableHLO 1.20 (section "Types") plus token, tuple and opaque.
//
//   sinter::ElementType t = sinter::ElementType::F32;
//   sinter::ByteWidth(t);   // 4
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "sinter/export.h"

namespace sinter {

// One row a type: enumerator, name in HLO text, bits of one element, kind.
// f8 and narrower floats are named as in StableHLO and XLA: E exponent bits, M mantissa bits, FN
// finite only, UZ unsigned zero, B11 exponent bias 11.
#define SINTER_ELEMENT_TYPES(X)                \
  X(PRED, "pred", 8, kPredicate)               \
  X(S2, "s2", 2, kSigned)                      \
  X(S4, "s4", 4, kSigned)                      \
  X(S8, "s8", 8, kSigned)                      \
  X(S16, "s16", 16, kSigned)                   \
  X(S32, "s32", 32, kSigned)                   \
  X(S64, "s64", 64, kSigned)                   \
  X(U2, "u2", 2, kUnsigned)                    \
  X(U4, "u4", 4, kUnsigned)                    \
  X(U8, "u8", 8, kUnsigned)                    \
  X(U16, "u16", 16, kUnsigned)                 \
  X(U32, "u32", 32, kUnsigned)                 \
  X(U64, "u64", 64, kUnsigned)                 \
  X(F4E2M1FN, "f4e2m1fn", 4, kFloat)           \
  X(F6E2M3FN, "f6e2m3fn", 6, kFloat)           \
  X(F6E3M2FN, "f6e3m2fn", 6, kFloat)           \
  X(F8E3M4, "f8e3m4", 8, kFloat)               \
  X(F8E4M3, "f8e4m3", 8, kFloat)               \
  X(F8E4M3FN, "f8e4m3fn", 8, kFloat)           \
  X(F8E4M3FNUZ, "f8e4m3fnuz", 8, kFloat)       \
  X(F8E4M3B11FNUZ, "f8e4m3b11fnuz", 8, kFloat) \
  X(F8E5M2, "f8e5m2", 8, kFloat)               \
  X(F8E5M2FNUZ, "f8e5m2fnuz", 8, kFloat)       \
  X(F8E8M0FNU, "f8e8m0fnu", 8, kFloat)         \
  X(BF16, "bf16", 16, kFloat)                  \
  X(F16, "f16", 16, kFloat)                    \
  X(F32, "f32", 32, kFloat)                    \
  X(F64, "f64", 64, kFloat)                    \
  X(C64, "c64", 64, kComplex)                  \
  X(C128, "c128", 128, kComplex)               \
  X(TOKEN, "token", 0, kOther)                 \
  X(TUPLE, "tuple", 0, kOther)                 \
  X(OPAQUE_TYPE, "opaque", 0, kOther)

enum class ElementType : uint8_t {
#define SINTER_ELEMENT_TYPE_ID(id, ...) id,
  SINTER_ELEMENT_TYPES(SINTER_ELEMENT_TYPE_ID)
#undef SINTER_ELEMENT_TYPE_ID
};

enum class ElementKind : uint8_t { kPredicate, kSigned, kUnsigned, kFloat, kComplex, kOther };

namespace internal {
struct ElementTypeInfo {
  std::string_view name;
  int bits;
  ElementKind kind;
};
inline constexpr ElementTypeInfo kElementTypes[] = {
#define SINTER_ELEMENT_TYPE_ROW(id, text, bits, kind) {text, bits, ElementKind::kind},
    SINTER_ELEMENT_TYPES(SINTER_ELEMENT_TYPE_ROW)
#undef SINTER_ELEMENT_TYPE_ROW
};
}  // namespace internal

// The number of element types.
inline constexpr int kElementTypeCount =
    sizeof(internal::kElementTypes) / sizeof(internal::kElementTypes[0]);

// The name in HLO text ("f32", "pred", "s8").
constexpr std::string_view Name(ElementType t) {
  return internal::kElementTypes[static_cast<int>(t)].name;
}

// Bits of one element; 0 for token, tuple and opaque. A predicate occupies a byte.
constexpr int BitWidth(ElementType t) { return internal::kElementTypes[static_cast<int>(t)].bits; }

// Bytes of one element on the host and in a Literal, where types below a byte take one byte each.
constexpr int ByteWidth(ElementType t) { return (BitWidth(t) + 7) / 8; }

// Elements that share a byte of a device buffer: 2 of 4 bits, 4 of 2 bits; 1 of all other types.
constexpr int ElementsPerByte(ElementType t) {
  return BitWidth(t) == 4 ? 2 : BitWidth(t) == 2 ? 4 : 1;
}

constexpr ElementKind Kind(ElementType t) {
  return internal::kElementTypes[static_cast<int>(t)].kind;
}
constexpr bool IsPredicate(ElementType t) { return t == ElementType::PRED; }
constexpr bool IsSigned(ElementType t) { return Kind(t) == ElementKind::kSigned; }
constexpr bool IsUnsigned(ElementType t) { return Kind(t) == ElementKind::kUnsigned; }
constexpr bool IsInteger(ElementType t) { return IsSigned(t) || IsUnsigned(t); }
constexpr bool IsFloat(ElementType t) { return Kind(t) == ElementKind::kFloat; }
constexpr bool IsComplex(ElementType t) { return Kind(t) == ElementKind::kComplex; }
// Whether tensors of this type hold data: everything but token, tuple and opaque.
constexpr bool IsArrayType(ElementType t) { return Kind(t) != ElementKind::kOther; }

// The element type of the real and imaginary parts: C64 -> F32, C128 -> F64; others are returned
// unchanged.
constexpr ElementType RealPart(ElementType t) {
  return t == ElementType::C64 ? ElementType::F32 : t == ElementType::C128 ? ElementType::F64 : t;
}

// The type named `name` in HLO text, or nothing.
SINTER_API std::optional<ElementType> ElementTypeFromName(std::string_view name);

namespace internal {

// A float of 16 bits of somebody else's, by what std::numeric_limits says of it.
template <class T>
constexpr std::optional<ElementType> Float16Of() {
  using Limits = std::numeric_limits<T>;
  if constexpr (sizeof(T) == 2 && std::is_trivially_copyable_v<T> && Limits::is_specialized) {
    if (Limits::is_integer) return std::nullopt;
    if (Limits::digits == 11 && Limits::max_exponent == 16) return ElementType::F16;
    if (Limits::digits == 8 && Limits::max_exponent == 128) return ElementType::BF16;
  }
  return std::nullopt;
}

}  // namespace internal

// The element type of a type of the host's that is none of the language's: its bytes are those of
// an element. Floats of 16 bits for which std::numeric_limits is specialised (Eigen::half,
// Eigen::bfloat16, which is also that of ml_dtypes) are known; others are declared so:
//
//   template <>
//   inline constexpr std::optional<sinter::ElementType> sinter::kForeignElementType<my::f8> =
//       sinter::ElementType::F8E5M2;
template <class T>
inline constexpr std::optional<ElementType> kForeignElementType = internal::Float16Of<T>();

}  // namespace sinter
