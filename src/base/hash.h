// 128-bit hashes (XXH3) of what the caller writes as words and bytes: for keys that must not
// collide.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sinter {

struct Hash128 {
  uint64_t low = 0, high = 0;
  bool operator==(const Hash128&) const = default;
  auto operator<=>(const Hash128&) const = default;
  std::string ToString() const;  // 32 hexadecimal digits
  template <class H>
  friend H AbslHashValue(H h, const Hash128& x) {
    return H::combine(std::move(h), x.low, x.high);
  }
};

Hash128 HashBytes(const void* data, size_t size);

// Collects what is hashed. Text and bytes are preceded by their length, so that no two sequences
// look alike.
class Hasher {
 public:
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void Add(T word) {
    Add(static_cast<uint64_t>(word));
  }
  template <class T>
  void Add(const std::vector<T>& list) {
    Add(uint64_t{list.size()});
    for (const T& x : list) Add(x);
  }
  void Add(const std::string& text) { Add(std::string_view(text)); }
  void Add(const char* text) { Add(std::string_view(text)); }
  void Add(uint64_t word) { buffer_.append(reinterpret_cast<const char*>(&word), sizeof word); }
  void Add(std::string_view text) {
    Add(uint64_t{text.size()});
    // What is long is replaced by its hash: constants are not copied.
    if (text.size() <= 256) {
      buffer_ += text;
    } else {
      Add(HashBytes(text.data(), text.size()));
    }
  }
  void Add(const Hash128& hash) {
    Add(hash.low);
    Add(hash.high);
  }
  Hash128 Finish() const { return HashBytes(buffer_.data(), buffer_.size()); }

 private:
  std::string buffer_;
};

}  // namespace sinter
