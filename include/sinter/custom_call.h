// Custom calls: functions of the host's that a computation calls by name.
//
//   // As for other users of XlaBuilder: an array's result is at `out`, a tuple's elements at the
//   // pointers that `out` points to.
//   void DoubleIt(void* out, const void** in) { ... }
//   SINTER_REGISTER_CUSTOM_CALL_TARGET(DoubleIt, "Host");
//   // On CUDA: submits work to `stream`; `buffers` are device memory, operands first, then
//   results. void DoubleItCuda(CUstream stream, void** buffers, const char* opaque, size_t
//   opaque_len) {
//     ...
//   }
//   SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM("DoubleIt", DoubleItCuda, "CUDA");
//   ...
//   sinter::Op y = sinter::CustomCall(&builder, "DoubleIt", {x}, shape);
//
// A typed function gets what it names, checked and decoded, and its status is that of the call of
// Execute:
//
//   absl::Status Scale(sinter::CustomCallBuffer<const float> x, sinter::CustomCallBuffer<float> y,
//                      float by) { ... }
//   SINTER_REGISTER_TYPED_CUSTOM_CALL("scale", "Host", sinter::BindCustomCall()
//       .Operand<float>().Result<float>().Attribute<float>("by").To(Scale));
//   ...
//   sinter::CustomCall(&builder, "scale", {x}, shape, /*opaque=*/"{by = 2.0 : f32}");
//
// All arrays are row-major: what a program states to be in another layout arrives as the transpose
// that has the same order in memory.
//
// A result that the program states to be an alias of an operand (output_to_operand_aliasing) has
// the operand's address: the array begins as the operand, and is the target's to change.
//
// Elements of 2 and 4 bits are packed, on every device and in the interpreter: two or four to a
// byte, the first in its low bits (Shape::packed_byte_size). What is left of a result's last byte
// is to be zeros.
//
// A target that there is not is an error of compilation; in a branch of a conditional, of the runs
// that take the branch, so that programs for several platforms can have a branch for each.
//
// Without registration, on the host: LAPACK's routines as JAX calls them, lapack_sgetrf_ffi and its
// like, which need no library of the host's, tridiagonal_solve_perturbed_ffi and
// cpu_csr_sparse_dense_ffi (products of sparse matrices in compressed rows).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

struct CUstream_st;  // what CUstream and cudaStream_t point to

namespace sinter {

// The attributes of a call: `opaque` read as a dictionary in MLIR's form,
// {name = value, ...} with values true, -3 : i64, 2.5 : f32, "text", [1, 2], array<i64: 1, 2>.
class SINTER_API CustomCallAttributes {
 public:
  using Value =
      std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;
  // InvalidArgument for text that is no dictionary; "" is an empty one.
  static absl::StatusOr<CustomCallAttributes> Parse(std::string_view text);

  // T is bool, an integer, float, double, std::string, std::vector<int64_t> or std::vector<double>.
  // InvalidArgument where there is no such attribute, or it is of another kind or does not fit.
  template <class T>
  absl::StatusOr<T> Get(std::string_view name) const;

 private:
  absl::StatusOr<const Value*> Find(std::string_view name) const;
  static absl::Status WrongKind(std::string_view name, std::string_view expected);

  std::map<std::string, Value, std::less<>> values_;
};

// What a call gives to its target.
struct CustomCallFrame {
  struct Array {
    void* data = nullptr;  // on CUDA an address of the device; null where the array is empty
    const Shape* shape = nullptr;
  };
  void* stream = nullptr;                     // a CUstream; null on the host
  absl::Span<const Array> operands, results;  // leaves of tuples, in order
  bool tuple_result = false;
  std::string_view opaque;
  const CustomCallAttributes* attributes = nullptr;  // null where `opaque` is no dictionary
};

// A target. It is called by one thread of the client's or the caller's, by several at a time for
// several runs.
using CustomCallFunction = std::function<absl::Status(const CustomCallFrame&)>;

// A place that calls a target, before any run.
struct CustomCallSite {
  absl::Span<const Shape> operands, results;  // leaves of tuples, in order
  bool tuple_result = false;
  std::string_view opaque;
  const CustomCallAttributes* attributes = nullptr;  // null where `opaque` is no dictionary
};
// A target with state of its own for each place that calls it: called once for the place when a
// program is compiled or loaded (in the interpreter for each call). What it returns is called in
// runs and destroyed with the program; compilations that the client's cache answers share it. Its
// error is that of the compilation.
using CustomCallFactory = std::function<absl::StatusOr<CustomCallFunction>(const CustomCallSite&)>;

using HostCustomCall = void (*)(void* out, const void** in);
using CudaCustomCall = void (*)(CUstream_st* stream, void** buffers, const char* opaque,
                                size_t opaque_len);
// The two classic signatures as targets.
SINTER_API CustomCallFunction WrapCustomCall(HostCustomCall function);
SINTER_API CustomCallFunction WrapCustomCall(CudaCustomCall function);
inline CustomCallFunction WrapCustomCall(CustomCallFunction function) { return function; }

// Targets by name and platform ("Host", "CUDA"). Thread-safe.
class SINTER_API CustomCallRegistry {
 public:
  // The process's, which the macros fill and clients use that are given no other. It holds what the
  // host's own code has put there and nothing else.
  static CustomCallRegistry& Global();

  CustomCallRegistry() = default;
  CustomCallRegistry(const CustomCallRegistry&) = delete;
  CustomCallRegistry& operator=(const CustomCallRegistry&) = delete;

  // InvalidArgument for an unknown platform and a name that is taken there.
  absl::Status Register(std::string_view name, std::string_view platform,
                        CustomCallFunction function);
  absl::Status RegisterFactory(std::string_view name, std::string_view platform,
                               CustomCallFactory factory);
  // Register for code that has nobody to tell: the error stays with the registry, and what needs
  // the target (compilation) fails with it. Whether there was none.
  bool RegisterOrNoteError(std::string_view name, std::string_view platform,
                           CustomCallFunction function);
  // The first error noted, of that name or of all.
  absl::Status status(std::string_view name) const;
  absl::Status status() const;
  // Empty where there is none, or one of the other kind.
  CustomCallFunction Find(std::string_view name, std::string_view platform) const;
  CustomCallFactory FindFactory(std::string_view name, std::string_view platform) const;

 private:
  using Target = std::variant<CustomCallFunction, CustomCallFactory>;

  absl::Status Add(std::string_view name, std::string_view platform, Target target);
  template <class T>
  T FindAs(std::string_view name, std::string_view platform) const;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, Target> targets_;
  std::vector<std::pair<std::string, absl::Status>> errors_;  // by the names of targets
};

#define SINTER_CUSTOM_CALL_CONCAT_(a, b) a##b
#define SINTER_CUSTOM_CALL_CONCAT(a, b) SINTER_CUSTOM_CALL_CONCAT_(a, b)
// At namespace scope. An error, say of two that register one name, is that of the compilation of
// programs that call the name (CustomCallRegistry::RegisterOrNoteError).
#define SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(symbol, function, platform)                   \
  [[maybe_unused]] static const bool SINTER_CUSTOM_CALL_CONCAT(sinter_registered_, __COUNTER__) = \
      ::sinter::CustomCallRegistry::Global().RegisterOrNoteError(                                 \
          symbol, platform, ::sinter::WrapCustomCall(function))
#define SINTER_REGISTER_CUSTOM_CALL_TARGET(function, platform) \
  SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(#function, function, platform)
#define SINTER_REGISTER_TYPED_CUSTOM_CALL(name, platform, ...) \
  SINTER_REGISTER_CUSTOM_CALL_TARGET_WITH_SYM(name, (__VA_ARGS__), platform)

// --- typed targets

// An array of T (const T: an operand).
template <class T>
struct CustomCallBuffer {
  T* data;
  const Shape* shape;
  int64_t size() const { return shape->element_count(); }
};

namespace internal {

SINTER_API absl::Status CheckCustomCallArray(std::string_view role, size_t index,
                                             absl::Span<const CustomCallFrame::Array> arrays,
                                             ElementType expected);
SINTER_API absl::Status CheckCustomCallCounts(const CustomCallFrame& frame, size_t operands,
                                              size_t results);
SINTER_API absl::Status NoCustomCallAttributes(const CustomCallFrame& frame);

template <class T>
struct OperandPart {
  size_t index;
  absl::StatusOr<CustomCallBuffer<const T>> Get(const CustomCallFrame& frame) const {
    absl::Status s = CheckCustomCallArray("operand", index, frame.operands, kElementTypeOf<T>);
    if (!s.ok()) return s;
    const auto& array = frame.operands[index];
    return CustomCallBuffer<const T>{static_cast<const T*>(array.data), array.shape};
  }
};
template <class T>
struct ResultPart {
  size_t index;
  absl::StatusOr<CustomCallBuffer<T>> Get(const CustomCallFrame& frame) const {
    absl::Status s = CheckCustomCallArray("result", index, frame.results, kElementTypeOf<T>);
    if (!s.ok()) return s;
    const auto& array = frame.results[index];
    return CustomCallBuffer<T>{static_cast<T*>(array.data), array.shape};
  }
};
template <class T>
struct AttributePart {
  std::string name;
  absl::StatusOr<T> Get(const CustomCallFrame& frame) const {
    if (frame.attributes == nullptr) return NoCustomCallAttributes(frame);
    return frame.attributes->Get<T>(name);
  }
};
struct StreamPart {
  absl::StatusOr<CUstream_st*> Get(const CustomCallFrame& frame) const {
    return static_cast<CUstream_st*>(frame.stream);
  }
};

}  // namespace internal

// Says which operands, results and attributes become which arguments of a function, in order.
template <class... Parts>
class CustomCallBinding {
 public:
  CustomCallBinding() requires(sizeof...(Parts) == 0) = default;
  CustomCallBinding(std::tuple<Parts...> parts, size_t operands, size_t results)
      : parts_(std::move(parts)), operands_(operands), results_(results) {}

  // The next operand or result, of elements T: CustomCallBuffer<const T>, CustomCallBuffer<T>.
  template <class T>
  auto Operand() const {
    return With(internal::OperandPart<T>{operands_}, operands_ + 1, results_);
  }
  template <class T>
  auto Result() const {
    return With(internal::ResultPart<T>{results_}, operands_, results_ + 1);
  }
  template <class T>
  auto Attribute(std::string name) const {
    return With(internal::AttributePart<T>{std::move(name)}, operands_, results_);
  }
  // CUstream.
  auto Stream() const { return With(internal::StreamPart{}, operands_, results_); }

  // A target that calls `function` with them. A call with other operands, results or attributes is
  // InvalidArgument.
  template <class Function>
  CustomCallFunction To(Function function) const {
    return [parts = parts_, operands = operands_, results = results_,
            function = std::move(function)](const CustomCallFrame& frame) -> absl::Status {
      if (absl::Status s = internal::CheckCustomCallCounts(frame, operands, results); !s.ok())
        return s;
      auto values = std::apply(
          [&](const auto&... part) { return std::make_tuple(part.Get(frame)...); }, parts);
      absl::Status first;
      std::apply([&](const auto&... value) { (first.Update(value.status()), ...); }, values);
      if (!first.ok()) return first;
      return std::apply([&](auto&... value) { return function(*std::move(value)...); }, values);
    };
  }

 private:
  template <class Part>
  auto With(Part part, size_t operands, size_t results) const {
    return CustomCallBinding<Parts..., Part>(
        std::tuple_cat(parts_, std::tuple<Part>(std::move(part))), operands, results);
  }

  std::tuple<Parts...> parts_;
  size_t operands_ = 0, results_ = 0;
};
inline CustomCallBinding<> BindCustomCall() { return {}; }

}  // namespace sinter
