// NumPy's .npy files, versions 1 to 3. Element types that NumPy lacks travel as unsigned integers
// or void of the same width, those below a byte as one byte an element.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "sinter/literal.h"

namespace sinter::tools {

// The array in `bytes` as a literal of `shape`, whose dimensions it must have (up to the bounds,
// where they are dynamic: the literal has the file's) and whose element type decides what its bytes
// mean. InvalidArgument otherwise.
absl::StatusOr<Literal> ParseNpy(std::string_view bytes, const Shape& shape);

// The dimensions that the file states. InvalidArgument for what is no such file.
absl::StatusOr<std::vector<int64_t>> NpySizes(std::string_view bytes);

// A file of version 1.
std::string ToNpy(const Literal& literal);

}  // namespace sinter::tools
