// 128-bit fingerprints of what keys are made of. Equal fingerprints are taken for equal contents.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinter {

struct Fingerprint {
  uint64_t high = 0, low = 0;
  auto operator<=>(const Fingerprint&) const = default;
  // 32 hexadecimal digits.
  std::string ToString() const;
  template <class H>
  friend H AbslHashValue(H h, const Fingerprint& f) {
    return H::combine(std::move(h), f.low);
  }
};

Fingerprint FingerprintOf(std::string_view bytes);

// Collects fields; strings and lists carry their length, so that neighbours never run together.
class Fingerprinter {
 public:
  template <class T, std::enable_if_t<std::is_integral_v<T> || std::is_enum_v<T>, int> = 0>
  Fingerprinter& Add(T value) {
    auto wide = static_cast<int64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&wide), sizeof wide);
    return *this;
  }
  Fingerprinter& Add(std::string_view text) {
    Add(text.size());
    bytes_.append(text);
    return *this;
  }
  Fingerprinter& Add(const std::string& text) { return Add(std::string_view(text)); }
  Fingerprinter& Add(const char* text) { return Add(std::string_view(text)); }
  template <class T>
  Fingerprinter& Add(const std::vector<T>& list) {
    Add(list.size());
    for (const T& x : list) Add(x);
    return *this;
  }
  Fingerprint Finish() const { return FingerprintOf(bytes_); }

 private:
  std::string bytes_;
};

}  // namespace sinter
