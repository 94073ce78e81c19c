// One call of a LAPACK routine: its arrays under the letters of a signature, its attributes, its
// workspace, and how Fortran takes arguments.
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

using Int = int32_t;  // an INTEGER of the library

using linear_algebra::kIsComplex;
using linear_algebra::Matrix;
using linear_algebra::RealOf;
using linear_algebra::Threads;

// What a routine works in, of the sizes that it asks for. A query has one element of each and
// lengths of -1.
template <class T>
struct Workspace {
  std::vector<T> work;
  std::vector<RealOf<T>> real;
  std::vector<Int> integers;
  Int work_size = -1, real_size = -1, integers_size = -1;
};

class Call {
 public:
  // `signature` says what arrays there are: "T[mn] -> T[mn] R[k] i[]". The letter before the
  // brackets is the element type: T the routine's own, R that of its real numbers, C that of its
  // complex ones, i s32. Those inside are sizes, of a matrix rows and columns; a letter has one
  // value throughout, k is min(m, n), l is n - 1. Every array begins with the same batch
  // dimensions. Matrices are column-major: in the order of memory the rows' size is the last. "T()"
  // is one number for the whole batch, and a last operand with a "?" behind it may be missing.
  // InvalidArgument for other arrays, Unimplemented for sizes that are no INTEGER.
  static absl::StatusOr<Call> Make(const CustomCallFrame& frame, std::string_view signature,
                                   char type, void* routine, const Threads& threads = {});

  // Without a routine of the host's, our own computes it.
  bool is_own() const { return routine_ == nullptr; }
  int64_t batch() const { return batch_; }
  size_t operands() const { return operands_.size(); }
  Int operator[](char letter) const { return sizes_[static_cast<size_t>(letter - 'a')]; }
  // The distance of columns of a matrix of so many rows.
  static Int Stride(Int rows) { return std::max<Int>(rows, 1); }

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
  absl::Status EachOwn(F compute) const {
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

  // The routine's INFO: the last result if that is i[].
  Int* Info(int64_t b) const { return has_info_ ? Out<Int>(results_.size() - 1, b) : &no_info_; }
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

  // The routine with these arguments: values and pointers.
  template <class... Args>
  void Fortran(Args... args) const {
    CallWithLengths(std::make_index_sequence<(size_t{std::is_same_v<Args, char>} + ... + 0)>(),
                    Address(args)...);
  }

  // `call(b, workspace, info)` for each member of the batch, before them once to ask for the sizes
  // of the workspace. Routines that do not say how much they take of real numbers and of integers
  // take what is given here.
  template <class T, class F>
  absl::Status EachInWorkspace(F call, int64_t reals = 1, int64_t integers = 1) const {
    if (batch_ == 0) return absl::OkStatus();
    Workspace<T> w;
    w.work.resize(1);
    w.real.resize(static_cast<size_t>(std::max<int64_t>(reals, 1)));
    w.integers.resize(static_cast<size_t>(std::max<int64_t>(integers, 1)));
    Int info = 0;
    call(int64_t{0}, w, &info);
    if (info < 0) return Internal("argument {} is not one that it takes", -info);
    RETURN_IF_ERROR(Grow(std::real(w.work[0]), w.work, &w.work_size));
    RETURN_IF_ERROR(Grow(w.real[0], w.real, &w.real_size));
    RETURN_IF_ERROR(Grow(w.integers[0], w.integers, &w.integers_size));
    for (int64_t b = 0; b < batch_; ++b) call(b, w, Info(b));
    return absl::OkStatus();
  }

 private:
  Call() = default;
  absl::Status Bind(std::string_view role, size_t index, const CustomCallFrame::Array& array,
                    std::string_view signature, char type, int64_t* stride);

  template <class X>
  static auto Address(X& value) {
    if constexpr (std::is_pointer_v<X>) {
      return value;
    } else {
      return &value;
    }
  }
  // The lengths of texts follow all other arguments.
  template <size_t... kTexts, class... Args>
  void CallWithLengths(std::index_sequence<kTexts...>, Args... args) const {
    auto one = [](size_t) { return size_t{1}; };
    reinterpret_cast<void (*)(Args..., decltype(one(kTexts))...)>(routine_)(args...,
                                                                            one(kTexts)...);
  }

  // A single-precision number may be less than the size that it stands for.
  template <class X, class Size>
  static absl::Status Grow(Size asked, std::vector<X>& space, Int* size) {
    double wanted = static_cast<double>(asked);
    if constexpr (std::is_same_v<Size, float>)
      wanted = std::nextafter(asked, std::numeric_limits<float>::max());
    wanted = std::max(std::ceil(wanted), static_cast<double>(space.size()));
    if (!(wanted <= std::numeric_limits<Int>::max()))
      return ResourceExhausted("a workspace of {} elements", wanted);
    *size = static_cast<Int>(wanted);
    space.resize(static_cast<size_t>(*size));
    return absl::OkStatus();
  }

  const CustomCallFrame* frame_ = nullptr;
  void* routine_ = nullptr;
  Threads threads_;
  int64_t batch_ = 1;
  bool has_batch_ = false, has_info_ = false;
  std::array<Int, 26> sizes_;
  std::vector<int64_t> batch_sizes_, operands_, results_;  // elements of one member of the batch
  mutable Int no_info_ = 0;
};

}  // namespace sinter::lapack
