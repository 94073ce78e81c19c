// Which form a program's text is in, by its beginning.
#pragma once

#include <cstdint>
#include <string_view>

namespace sinter {

enum class ProgramForm : uint8_t {
  kNothing,  // white space and comments
  kHlo,
  kStablehlo,     // or another dialect's text: a module, functions without one, aliases first
  kMlirBytecode,  // binary
  kJaxExport,     // a flatbuffer, which only files of jax.export are here
  kUnknown,
};

ProgramForm FormOf(std::string_view text);

}  // namespace sinter
