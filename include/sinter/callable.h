// Callable: what operations call on parts of their operands. A computation, or a C++ function of
// ops that is recorded in place.
//
//   sinter::Reduce(x, 0, [](sinter::Op a, sinter::Op b) { return a + b; }, {1});
//   sinter::While([](sinter::Op i, sinter::Op) { return sinter::Lt(i, 10); },
//                 [](sinter::Op i, sinter::Op x) { return std::vector{i + 1, x * 2}; }, {i, x});
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "sinter/computation.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

namespace internal {

inline constexpr size_t kMaxFunctionArity = 16;

template <size_t>
using OpAt = OpHandle;

template <class F, size_t... I>
constexpr bool TakesOps(std::index_sequence<I...>) {
  return std::is_invocable_v<F&, OpAt<I>...>;
}
// Bit n: the function takes n ops.
template <class F, size_t... N>
constexpr uint32_t ArityMask(std::index_sequence<N...>) {
  return ((TakesOps<F>(std::make_index_sequence<N + 1>{}) ? uint32_t{2} << N : 0u) | ...);
}
template <class F>
inline constexpr uint32_t kArityMask = ArityMask<F>(std::make_index_sequence<kMaxFunctionArity>{});

SINTER_API OpHandle PackResults(Builder& builder, absl::Span<const OpHandle> results);

// What a function may return: an op; or several, which become a tuple.
inline OpHandle Packed(Builder&, OpHandle op) { return op; }
inline OpHandle Packed(Builder& b, const std::vector<OpHandle>& ops) { return PackResults(b, ops); }
template <size_t N>
OpHandle Packed(Builder& b, const std::array<OpHandle, N>& ops) {
  return PackResults(b, ops);
}
template <class... T>
requires(std::same_as<T, OpHandle>&&...) OpHandle Packed(Builder& b, const std::tuple<T...>& ops) {
  return std::apply(
      [&](const auto&... op) { return Packed(b, std::array<OpHandle, sizeof...(T)>{op...}); }, ops);
}
inline OpHandle Packed(Builder& b, const std::pair<OpHandle, OpHandle>& ops) {
  return Packed(b, std::array{ops.first, ops.second});
}

template <class F, size_t... I>
OpHandle CallWith(F& f, Builder& b, absl::Span<const OpHandle> ops, std::index_sequence<I...>) {
  return Packed(b, f(ops[I]...));
}
template <class F, size_t N = 1>
OpHandle CallWithOps(F& f, Builder& b, absl::Span<const OpHandle> ops) {
  if constexpr (N <= kMaxFunctionArity) {
    if (ops.size() != N) return CallWithOps<F, N + 1>(f, b, ops);
    if constexpr (TakesOps<F>(std::make_index_sequence<N>{})) {
      return CallWith(f, b, ops, std::make_index_sequence<N>{});
    }
  }
  return OpHandle();
}

}  // namespace internal

// A function of ops takes as many ops (up to 16) as the operation calls it with, or an
// absl::Span<const Op> of them. One that is called with a single tuple may take the tuple's
// elements instead; one of a span does. It returns an op, or several as std::vector, std::array,
// std::pair or std::tuple of Op, which become a tuple. It is called once, at once, and records into
// a computation of its own: it may use only its arguments, and what it makes of them; values of the
// enclosing computation must be passed in as operands. Constants are numbers beside ops, or made
// with arg.builder().
class SINTER_API Callable {
 public:
  using Function = std::function<OpHandle(Builder&, absl::Span<const OpHandle>)>;

  Callable(const ComputationHandle& computation) : computation_(computation) {}

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Callable> &&
           !std::convertible_to<F, const ComputationHandle&> &&
           (internal::kArityMask<std::remove_cvref_t<F>> != 0)) Callable(F&& f)
      : function_([f = std::forward<F>(f)](Builder& b, absl::Span<const OpHandle> ops) mutable {
          return internal::CallWithOps(f, b, ops);
        }),
        arity_mask_(internal::kArityMask<std::remove_cvref_t<F>>) {}

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Callable> &&
           !std::convertible_to<F, const ComputationHandle&> &&
           (internal::kArityMask<std::remove_cvref_t<F>> == 0) &&
           std::is_invocable_v<F&, absl::Span<const OpHandle>>) Callable(F&& f)
      : function_([f = std::forward<F>(f)](Builder& b, absl::Span<const OpHandle> ops) mutable {
          return internal::Packed(b, f(ops));
        }),
        arity_mask_(kAnyArity) {}

  // --- for the library
  bool is_function() const { return function_ != nullptr; }
  const Function& function() const { return function_; }
  bool TakesSpan() const { return arity_mask_ == kAnyArity; }
  bool Takes(size_t n) const {
    return TakesSpan() || (n <= internal::kMaxFunctionArity && (arity_mask_ >> n & 1u) != 0);
  }
  const ComputationHandle& computation() const { return computation_; }

 private:
  static constexpr uint32_t kAnyArity = ~uint32_t{0};

  ComputationHandle computation_;
  Function function_;
  uint32_t arity_mask_ = 0;
};

}  // namespace sinter
