// Numbers and text in the header of a message. Processes run on machines of one byte order.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sinter::network {

class Writer {
 public:
  Writer& Number(uint64_t x) {
    text_.append(reinterpret_cast<const char*>(&x), sizeof x);
    return *this;
  }
  Writer& Text(std::string_view x) {
    Number(x.size());
    text_ += x;
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// What does not fit is 0 or empty, and ok() false.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}
  uint64_t Number() {
    uint64_t x = 0;
    if (rest_.size() < sizeof x) {
      Fail();
      return 0;
    }
    std::memcpy(&x, rest_.data(), sizeof x);
    rest_.remove_prefix(sizeof x);
    return x;
  }
  int64_t Signed() { return static_cast<int64_t>(Number()); }
  std::string Text() {
    const uint64_t size = Number();
    if (size > rest_.size()) {
      Fail();
      return "";
    }
    std::string x(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return x;
  }
  bool ok() const { return ok_; }

 private:
  void Fail() {
    ok_ = false;
    rest_ = {};
  }
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace sinter::network
