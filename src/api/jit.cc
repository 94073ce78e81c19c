#include "sinter/jit.h"

#include <atomic>

#include "absl/container/inlined_vector.h"
#include "api/client_core.h"

namespace sinter {
namespace {

// Tells functions apart in the caches of clients, which may outlive them.
uint64_t NextId() {
  static std::atomic<uint64_t> next{1};
  return next.fetch_add(1);
}

void AddShape(const Shape& shape, Hasher& key) {
  key.Add(shape.element_type());
  key.Add(shape.dimensions());
  bool default_layout = shape.has_default_layout();
  key.Add(default_layout);
  if (!default_layout) key.Add(shape.minor_to_major());
  if (!shape.is_static()) {
    for (int64_t d = 0; d < shape.rank(); ++d) key.Add(shape.is_dynamic(d));
  }
  if (shape.quantization() != nullptr) key.Add(shape.ToString());
}

}  // namespace

struct Jit::State {
  Function function;
  JitOptions options;
  uint64_t id = NextId();
  std::atomic<int64_t> traces{0};

  absl::StatusOr<std::shared_ptr<const HloModule>> Trace(absl::Span<const Shape* const> shapes) {
    ++traces;
    Builder b(options.name);
    std::vector<Op> parameters;
    parameters.reserve(shapes.size());
    for (size_t i = 0; i < shapes.size(); ++i) {
      parameters.push_back(Parameter(&b, static_cast<int64_t>(i), *shapes[i], Format("x{}", i)));
    }
    ASSIGN_OR_RETURN(Computation computation, b.Build(function(b, parameters)));
    return computation.module();
  }
};

Jit::Jit(Function function, JitOptions options, int) : state_(std::make_shared<State>()) {
  state_->function = std::move(function);
  state_->options = std::move(options);
}

int64_t Jit::traces() const { return state_->traces; }

absl::StatusOr<Executable> Jit::Find(const std::shared_ptr<Client>& client,
                                     absl::Span<const Shape* const> shapes) const {
  if (client == nullptr) return InvalidArgument("{}: there is no client", state_->options.name);
  Hasher key;
  key.Add("jit");
  key.Add(state_->id);
  key.Add(uint64_t{shapes.size()});
  for (const Shape* s : shapes) AddShape(*s, key);
  return client->core()->CompileTraced(std::move(key), state_->options.compile,
                                       [&] { return state_->Trace(shapes); });
}

absl::StatusOr<Executable> Jit::Get(const std::shared_ptr<Client>& client,
                                    absl::Span<const Shape> shapes) const {
  return api::Guarded([&] {
    absl::InlinedVector<const Shape*, 8> pointers;
    for (const Shape& s : shapes) pointers.push_back(&s);
    return Find(client, pointers);
  });
}

absl::StatusOr<Executable> Jit::ForBuffers(const std::shared_ptr<Client>& client,
                                           absl::Span<const Buffer> arguments) const {
  return api::Guarded([&]() -> absl::StatusOr<Executable> {
    absl::InlinedVector<const Shape*, 8> pointers;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].is_empty()) {
        return InvalidArgument("{}: argument {} is an empty buffer", state_->options.name, i);
      }
      pointers.push_back(&arguments[i].shape());
    }
    return Find(client, pointers);
  });
}

absl::StatusOr<std::vector<Buffer>> Jit::operator()(const std::shared_ptr<Client>& client,
                                                    absl::Span<const Buffer> arguments,
                                                    const ExecuteOptions& options) const {
  ASSIGN_OR_RETURN(Executable e, ForBuffers(client, arguments));
  return e.Execute(arguments, options);
}

absl::StatusOr<std::vector<Buffer>> Jit::Async(const std::shared_ptr<Client>& client,
                                               absl::Span<const Buffer> arguments,
                                               const ExecuteOptions& options) const {
  ASSIGN_OR_RETURN(Executable e, ForBuffers(client, arguments));
  return e.ExecuteAsync(arguments, options);
}

}  // namespace sinter
