// The library kernel "fft": Fourier transforms along the last dimensions of arrays, as
// program/fft_layout.h writes them down. Buffers: the argument or its parts, the result, scratch
// memory.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

void Fft(const LibraryArguments& arguments);
absl::Status CheckFft(const LibrarySignature& signature);
std::shared_ptr<const void> PrepareFft(absl::Span<const int64_t> dims, VectorTarget target);

}  // namespace sinter::runtime::cpu
