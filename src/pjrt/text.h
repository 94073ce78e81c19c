// Text and bytes as functions of the C API give them.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace sinter::pjrt {

// The caller's pointer and size: of text that outlives what was asked.
inline void SetText(std::string_view text, const char*& data, size_t& size) {
  data = text.data();
  size = text.size();
}

// Bytes of the caller's own, which it gives back by the deleter.
template <class Holder>
void Give(std::string text, const char*& data, size_t& size, Holder*& holder,
          void (*&deleter)(Holder*)) {
  auto* bytes = new std::string(std::move(text));
  SetText(*bytes, data, size);
  holder = reinterpret_cast<Holder*>(bytes);
  deleter = [](Holder* h) { delete reinterpret_cast<std::string*>(h); };
}

}  // namespace sinter::pjrt
