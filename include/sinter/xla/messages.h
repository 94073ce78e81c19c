// Enumerators of XLA's messages (xla/xla_data.proto).
#pragma once

#include "sinter/element_type.h"
#include "sinter/op_options.h"

namespace sinter::xla_names {

using PrimitiveType = ElementType;
// xla::F32 and the others.
#define SINTER_PRIMITIVE_TYPE(id, ...) inline constexpr ElementType id = ElementType::id;
SINTER_ELEMENT_TYPES(SINTER_PRIMITIVE_TYPE)
#undef SINTER_PRIMITIVE_TYPE

inline constexpr PaddingType PADDING_INVALID = PaddingType::kInvalid;
inline constexpr PaddingType PADDING_VALID = PaddingType::kValid;
inline constexpr PaddingType PADDING_SAME = PaddingType::kSame;

inline constexpr TriState TRI_STATE_UNSPECIFIED = TriState::kUnspecified;
inline constexpr TriState TRI_STATE_FALSE = TriState::kFalse;
inline constexpr TriState TRI_STATE_TRUE = TriState::kTrue;

inline constexpr FftType FFT = FftType::kFft;
inline constexpr FftType IFFT = FftType::kIfft;
inline constexpr FftType RFFT = FftType::kRfft;
inline constexpr FftType IRFFT = FftType::kIrfft;

inline constexpr RandomAlgorithm RNG_DEFAULT = RandomAlgorithm::kDefault;
inline constexpr RandomAlgorithm RNG_THREE_FRY = RandomAlgorithm::kThreeFry;
inline constexpr RandomAlgorithm RNG_PHILOX = RandomAlgorithm::kPhilox;

inline constexpr CustomCallSchedule SCHEDULE_NONE = CustomCallSchedule::kNone;
inline constexpr CustomCallSchedule SCHEDULE_LATEST = CustomCallSchedule::kLatest;
inline constexpr CustomCallSchedule SCHEDULE_EARLIEST = CustomCallSchedule::kEarliest;

inline constexpr CustomCallApiVersion API_VERSION_UNSPECIFIED = CustomCallApiVersion::kUnspecified;
inline constexpr CustomCallApiVersion API_VERSION_ORIGINAL = CustomCallApiVersion::kOriginal;
inline constexpr CustomCallApiVersion API_VERSION_STATUS_RETURNING =
    CustomCallApiVersion::kStatusReturning;
inline constexpr CustomCallApiVersion API_VERSION_STATUS_RETURNING_UNIFIED =
    CustomCallApiVersion::kStatusReturningUnified;
inline constexpr CustomCallApiVersion API_VERSION_TYPED_FFI = CustomCallApiVersion::kTypedFfi;

}  // namespace sinter::xla_names
