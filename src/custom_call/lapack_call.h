// One call of a LAPACK routine: its arrays under the letters of a signature, its attributes, and
// how the members of a batch share the threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"
#include "sinter/custom_call.h"

namespace sinter::lapack {

using Int = int32_t;

using linear_algebra::kIsComplex;
using linear_algebra::Matrix;
using linear_algebra::RealOf;
using linear_algebra::Threads;

class Call {
 public:
  // `signature` says what arrays there are: "T[mn] -> T[mn] R[k] i[]". The letter before the
  // brackets is the element type: T the routine's own, R that of its real numbers, C that of its
  // complex ones, i s32. Those inside are sizes, of a matrix rows and columns; a letter has one
  // value throughout, k is min(m, n), l is n - 1. Every array begins with the same batch
  // dimensions. Matrices are column-major: in the order of memory the rows' size is the last. "T()"
  // is one number for the whole batch, and a last operand with a "?" behind it may be missing.
  // InvalidArgument for other arrays, Unimplemented for sizes that are no INTEGER of 32 bits.
  static absl::StatusOr<Call> Make(const CustomCallFrame& frame, std::string_view signature,
                                   char type, const Threads& threads);

  int64_t batch() const { return batch_; }
  size_t operands() const { return operands_.size(); }
  Int operator[](char letter) const { return sizes_[static_cast<size_t>(letter - 'a')]; }

  // Array number `i` of batch member `b`.
  template <class X>
  const X* In(size_t i, int64_t b) const {
    return static_cast<const X*>(frame_->operands[i].data) + b * operands_[i];
  }
  template <class X>
  X* Out(size_t i, int64_t b) const {
    return static_cast<X*>(frame_->results[i].data) + b * results_[i];
  }
  // The matrix there, of so many rows and columns.
  template <class X>
  Matrix<X> At(size_t result, int64_t b, int64_t rows, int64_t columns) const {
    return {Out<X>(result, b), rows, columns, std::max<int64_t>(rows, 1)};
  }
  // An operand's, which is not written.
  template <class X>
  Matrix<X> AtOperand(size_t i, int64_t b, int64_t rows, int64_t columns) const {
    return {const_cast<X*>(In<X>(i, b)), rows, columns, std::max<int64_t>(rows, 1)};
  }
  // `compute(b, threads)` gives INFO for each member of the batch: many members on a thread each,
  // few with all threads. ResourceExhausted where there is no memory for one.
  template <class F>
  absl::Status Each(F compute) const {
    std::atomic<bool> no_memory{false};
    auto one = [&](int64_t b, const Threads& threads) {
      try {
        const Int info = compute(b, threads);
        if (has_info_) *Out<Int>(results_.size() - 1, b) = info;
      } catch (const std::bad_alloc&) {
        no_memory = true;
      }
    };
    if (batch_ < threads_.count()) {
      for (int64_t b = 0; b < batch_; ++b) one(b, threads_);
    } else {
      threads_.ForEach(batch_, [&](int64_t b, int) { one(b, {}); });
    }
    if (no_memory) return ResourceExhausted("no memory to work in");
    return absl::OkStatus();
  }

  void Copy(size_t operand, size_t result) const;
  template <class X>
  std::vector<X> CopyOf(size_t operand, int64_t b) const {
    return std::vector<X>(In<X>(operand, b), In<X>(operand, b) + operands_[operand]);
  }

  // An attribute that is one of the characters in `choices`.
  absl::StatusOr<char> Character(std::string_view name, std::string_view choices) const;
  template <class X>
  absl::StatusOr<X> Attribute(std::string_view name) const {
    if (frame_->attributes == nullptr) return internal::NoCustomCallAttributes(*frame_);
    return frame_->attributes->Get<X>(name);
  }

 private:
  Call() = default;
  absl::Status Bind(std::string_view role, size_t index, const CustomCallFrame::Array& array,
                    std::string_view signature, char type, int64_t* stride);

  const CustomCallFrame* frame_ = nullptr;
  Threads threads_;
  int64_t batch_ = 1;
  bool has_batch_ = false, has_info_ = false;
  std::array<Int, 26> sizes_;
  std::vector<int64_t> batch_sizes_, operands_, results_;  // elements of one member of the batch
};

}  // namespace sinter::lapack
