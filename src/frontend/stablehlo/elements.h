// Elements of constants from bytes as MLIR stores them.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontend/stablehlo/source.h"
#include "sinter/literal.h"

namespace sinter::stablehlo {

// A literal of `shape`, which is static, or of one element where the bytes are those of one element
// of several (`splat`, which may be null: then not allowed). Elements below eight bits take a byte
// each, but predicates may be packed into bits. InvalidArgument for another number of bytes.
absl::StatusOr<Literal> LiteralOfBytes(const Source& source, const char* at,
                                       absl::Span<const uint8_t> bytes, const Shape& shape,
                                       bool* splat);

}  // namespace sinter::stablehlo
