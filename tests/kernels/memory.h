// Memory for holding machine code against the interpreter: blocks between pages that may not be
// touched, and the comparison of elements.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#include "sinter/element_type.h"

namespace sinter::testing {

using Bytes = std::vector<uint8_t>;

// Memory whose last byte is before an unmapped page, or whose first is after one. std::bad_alloc
// where the system has none.
class Guarded {
 public:
  Guarded(const void* bytes, size_t size, bool at_end) : size_(size) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t body = (size_ + page - 1) / page * page;
    mapped_ = body + 2 * page;
    void* base = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<uint8_t*>(base);
    if (body > 0 && mprotect(base_ + page, body, PROT_READ | PROT_WRITE) != 0) {
      munmap(base_, mapped_);
      throw std::bad_alloc();
    }
    data_ = base_ + page + (at_end ? body - size_ : 0);
    if (size_ > 0) std::memcpy(data_, bytes, size_);
  }
  Guarded(const Bytes& bytes, bool at_end) : Guarded(bytes.data(), bytes.size(), at_end) {}
  ~Guarded() { munmap(base_, mapped_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;
  void* data() const { return data_; }
  size_t size() const { return size_; }
  Bytes bytes() const { return {data_, data_ + size_}; }

 private:
  size_t size_, mapped_ = 0;
  uint8_t* base_ = nullptr;
  uint8_t* data_ = nullptr;
};

// Whether two elements are the same bits, or both NaN.
inline bool SameElement(ElementType elem, const uint8_t* a, const uint8_t* b) {
  const auto width = static_cast<size_t>(ByteWidth(elem));
  if (std::memcmp(a, b, width) == 0) return true;
  auto nan = [&](const uint8_t* p) {
    if (elem == ElementType::F32) {
      float f;
      std::memcpy(&f, p, 4);
      return std::isnan(f);
    }
    if (elem == ElementType::F64) {
      double f;
      std::memcpy(&f, p, 8);
      return std::isnan(f);
    }
    uint16_t bits;
    std::memcpy(&bits, p, 2);
    if (elem == ElementType::F16) return (bits & 0x7fff) > 0x7c00;
    return elem == ElementType::BF16 && (bits & 0x7fff) > 0x7f80;
  };
  return IsFloat(elem) && width >= 2 && nan(a) && nan(b);
}

}  // namespace sinter::testing
