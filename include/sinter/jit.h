// Jit: a C++ function on ops, compiled for the shapes that it is called with.
//
//   sinter::Jit axpy([](sinter::Builder& b, absl::Span<const sinter::Op> in) {
//     return in[0] * in[1] + in[2];
//   });
//   auto r = axpy(client, {a, x, y});   // the first call for these shapes traces and compiles
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/buffer.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/executable.h"
#include "sinter/export.h"
#include "sinter/options.h"

namespace sinter {

struct JitOptions {
  // In messages, profiles and dumps.
  std::string name = "jit";
  // `compile.donated_parameters` are the arguments that every call consumes.
  CompileOptions compile;
};

// The function is traced once for each tuple of argument shapes (element types and layouts
// included), options and client; after that the executable comes from the client's cache, as long
// as that keeps it. Calls that need the same executable at a time compile it once. Copies share the
// function and its executables. Safe to use from several threads, where the function is.
class SINTER_API Jit {
 public:
  // `function` is called with a builder and one parameter an argument, and returns an op, or
  // several (a vector, array or tuple) for several results. It must always build the same for the
  // same shapes.
  template <class F>
  requires std::is_invocable_v<F&, Builder&, absl::Span<const Op>>
  explicit Jit(F function, JitOptions options = {})
      : Jit(
            [function = std::move(function)](Builder& b, absl::Span<const Op> in) mutable {
              return internal::Packed(b, function(b, in));
            },
            std::move(options), 0) {}

  // Runs on `client` and waits. Errors: those of the function's ops, of compilation and of
  // Executable::Execute. An error of tracing or compilation is not cached: the next call tries
  // again.
  absl::StatusOr<std::vector<Buffer>> operator()(const std::shared_ptr<Client>& client,
                                                 absl::Span<const Buffer> arguments,
                                                 const ExecuteOptions& options = {}) const;
  // The same without waiting (see Executable::ExecuteAsync); compilation is waited for.
  absl::StatusOr<std::vector<Buffer>> Async(const std::shared_ptr<Client>& client,
                                            absl::Span<const Buffer> arguments,
                                            const ExecuteOptions& options = {}) const;

  // The executable for arguments of these shapes, compiled if need be.
  absl::StatusOr<Executable> Get(const std::shared_ptr<Client>& client,
                                 absl::Span<const Shape> shapes) const;

  // How often the function has been called: once for each compilation.
  int64_t traces() const;

 private:
  using Function = std::function<Op(Builder&, absl::Span<const Op>)>;
  struct State;

  Jit(Function function, JitOptions options, int);
  absl::StatusOr<Executable> Find(const std::shared_ptr<Client>& client,
                                  absl::Span<const Shape* const> shapes) const;
  absl::StatusOr<Executable> ForBuffers(const std::shared_ptr<Client>& client,
                                        absl::Span<const Buffer> arguments) const;

  std::shared_ptr<State> state_;
};

}  // namespace sinter
