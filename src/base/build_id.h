// Which build of the library this is.
#pragma once

#include <string>

namespace sinter {

// The identifier that the linker gave the file that holds the library, in hexadecimal: equal for
// equal contents only. Empty where the file was linked without one.
const std::string& BuildId();

}  // namespace sinter
