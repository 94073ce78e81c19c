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
using OpAt = Op;

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

SINTER_API Op PackResults(Builder& builder, absl::Span<const Op> results);

// What a function may return: an op; or several, which become a tuple.
inline Op Packed(Builder&, Op op) { return op; }
inline Op Packed(Builder& b, const std::vector<Op>& ops) { return PackResults(b, ops); }
template <size_t N>
Op Packed(Builder& b, const std::array<Op, N>& ops) {
  return PackResults(b, ops);
}
template <class... T>
requires(std::same_as<T, Op>&&...) Op Packed(Builder& b, const std::tuple<T...>& ops) {
  return std::apply(
      [&](const auto&... op) { return Packed(b, std::array<Op, sizeof...(T)>{op...}); }, ops);
}
inline Op Packed(Builder& b, const std::pair<Op, Op>& ops) {
  return Packed(b, std::array{ops.first, ops.second});
}

template <class F, size_t... I>
Op CallWith(F& f, Builder& b, absl::Span<const Op> ops, std::index_sequence<I...>) {
  return Packed(b, f(ops[I]...));
}
template <class F, size_t N = 1>
Op CallWithOps(F& f, Builder& b, absl::Span<const Op> ops) {
  if constexpr (N <= kMaxFunctionArity) {
    if (ops.size() != N) return CallWithOps<F, N + 1>(f, b, ops);
    if constexpr (TakesOps<F>(std::make_index_sequence<N>{})) {
      return CallWith(f, b, ops, std::make_index_sequence<N>{});
    }
  }
  return Op();
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
  using Function = std::function<Op(Builder&, absl::Span<const Op>)>;

  Callable(const Computation& computation) : computation_(computation) {}
  Callable(const ComputationId& id) : computation_(id.computation()) {}

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Callable> &&
           !std::convertible_to<F, const Computation&> &&
           (internal::kArityMask<std::remove_cvref_t<F>> != 0)) Callable(F&& f)
      : function_([f = std::forward<F>(f)](Builder& b, absl::Span<const Op> ops) mutable {
          return internal::CallWithOps(f, b, ops);
        }),
        arity_mask_(internal::kArityMask<std::remove_cvref_t<F>>) {}

  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>, Callable> &&
           !std::convertible_to<F, const Computation&> &&
           (internal::kArityMask<std::remove_cvref_t<F>> == 0) &&
           std::is_invocable_v<F&, absl::Span<const Op>>) Callable(F&& f)
      : function_([f = std::forward<F>(f)](Builder& b, absl::Span<const Op> ops) mutable {
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
  const Computation& computation() const { return computation_; }

 private:
  static constexpr uint32_t kAnyArity = ~uint32_t{0};

  Computation computation_;
  Function function_;
  uint32_t arity_mask_ = 0;
};

}  // namespace sinter
