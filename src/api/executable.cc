#include "sinter/executable.h"

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "api/client_core.h"
#include "api/sized_execution.h"
#include "ir/layout.h"
#include "program/walk.h"
#include "types/layout_copy.h"
#include "types/leaves.h"

namespace sinter {
namespace {

absl::StatusOr<Literal> Assemble(const Shape& shape, absl::Span<const Buffer> leaves,
                                 size_t& next) {
  if (!shape.is_tuple()) {
    if (!shape.is_array()) return Literal(shape);
    RETURN_INTERNAL_IF(next >= leaves.size(), "results end before the result's shape {}",
                       shape.ToString());
    return leaves[next++].ToLiteral();
  }
  std::vector<Literal> elements;
  for (const Shape& s : shape.tuple_shapes()) {
    ASSIGN_OR_RETURN(Literal element, Assemble(s, leaves, next));
    elements.push_back(std::move(element));
  }
  return Literal::Tuple(std::move(elements));
}

void CountKernels(const std::vector<program::Step>& steps, int64_t& count) {
  for (const program::Step& step : steps) {
    if (std::holds_alternative<program::Launch>(step.op)) ++count;
    program::ForEachBody(
        step, [&](const std::vector<program::Step>& body) { CountKernels(body, count); });
  }
}

void AddTargets(const std::vector<program::Step>& steps, std::vector<std::string>& targets) {
  for (const program::Step& step : steps) {
    const auto* call = std::get_if<program::CustomCall>(&step.op);
    if (call != nullptr && !absl::c_linear_search(targets, call->target))
      targets.push_back(call->target);
    program::ForEachBody(
        step, [&](const std::vector<program::Step>& body) { AddTargets(body, targets); });
  }
}

void AddCost(const std::vector<program::Step>& steps, ExecutionCost& cost) {
  for (const program::Step& step : steps) {
    const program::Cost own = program::CostOf(step);
    cost.bytes_read += own.bytes_read;
    cost.bytes_written += own.bytes_written;
    cost.operations += own.operations;
    cost.open_ended |= std::holds_alternative<program::LibraryCall>(step.op) ||
                       std::holds_alternative<program::CustomCall>(step.op) ||
                       std::holds_alternative<program::While>(step.op);
    if (const auto* launch = std::get_if<program::Launch>(&step.op))
      for (const program::Stage& stage : launch->stages) cost.nanoseconds += stage.nanoseconds;
    program::ForEachBody(step,
                         [&](const std::vector<program::Step>& body) { AddCost(body, cost); });
  }
}

}  // namespace

std::string Executable::name() const { return impl_ == nullptr ? "" : impl_->program().name; }
std::vector<Shape> Executable::parameter_shapes() const {
  return impl_ == nullptr ? std::vector<Shape>() : impl_->program().parameters;
}
Shape Executable::result_shape() const {
  return impl_ == nullptr ? Shape() : impl_->program().result;
}
std::vector<Shape> Executable::flat_parameter_shapes() const {
  return impl_ == nullptr ? std::vector<Shape>() : api::StatedArguments(impl_->program());
}
std::vector<Shape> Executable::flat_result_shapes() const {
  return impl_ == nullptr ? std::vector<Shape>() : api::StatedResults(impl_->program());
}
int64_t Executable::temp_bytes() const {
  return impl_ == nullptr ? 0 : impl_->program().temp_bytes;
}
int64_t Executable::aliased_bytes() const {
  int64_t bytes = 0;
  if (impl_ == nullptr) return bytes;
  for (const program::Allocation& a : impl_->program().allocations) {
    if (a.residence == program::Residence::kResult && a.aliased_argument >= 0) bytes += a.size;
  }
  return bytes;
}
int64_t Executable::kernel_count() const {
  int64_t count = 0;
  if (impl_ != nullptr) CountKernels(impl_->program().steps, count);
  return count;
}

std::vector<std::string> Executable::custom_call_targets() const {
  std::vector<std::string> targets;
  if (impl_ != nullptr) AddTargets(impl_->program().steps, targets);
  return targets;
}
int64_t Executable::code_bytes() const {
  int64_t bytes = 0;
  if (impl_ == nullptr) return bytes;
  for (const program::Code& code : impl_->program().codes)
    bytes += static_cast<int64_t>(code.object.size());
  return bytes;
}
ExecutionCost Executable::cost() const {
  ExecutionCost cost;
  if (impl_ != nullptr) AddCost(impl_->program().steps, cost);
  return cost;
}

absl::StatusOr<std::vector<Buffer>> Executable::ExecuteImpl(absl::Span<const Buffer> arguments,
                                                            const ExecuteOptions& options,
                                                            bool async, Event* done) const {
  return api::Guarded([&]() -> absl::StatusOr<std::vector<Buffer>> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    if (done != nullptr) *done = Event();
    if (api::HasSizes(impl_->program()))
      return api::ExecuteSized(*impl_, client_, arguments, options);
    absl::InlinedVector<runtime::DeviceBuffer*, 16> raw;
    raw.reserve(arguments.size());
    for (const Buffer& b : arguments) raw.push_back(b.impl().get());
    runtime::RunOptions run{options.donate, options.keep, options.host_transfers};
    ASSIGN_OR_RETURN(runtime::Executable::Results results,
                     async ? impl_->ExecuteAsync(raw, run, done) : impl_->Execute(raw, run));
    std::vector<Buffer> out;
    out.reserve(results.size());
    for (auto& r : results) out.emplace_back(std::move(r), client_);
    return out;
  });
}

absl::StatusOr<std::vector<Buffer>> Executable::Execute(absl::Span<const Buffer> arguments,
                                                        const ExecuteOptions& options) const {
  return ExecuteImpl(arguments, options, /*async=*/false, nullptr);
}

absl::StatusOr<std::vector<Buffer>> Executable::ExecuteAsync(absl::Span<const Buffer> arguments,
                                                             const ExecuteOptions& options,
                                                             Event* done) const {
  return ExecuteImpl(arguments, options, /*async=*/true, done);
}

int64_t Executable::replica_count() const {
  return impl_ == nullptr ? 0 : impl_->program().grid.replicas;
}
int64_t Executable::partition_count() const {
  return impl_ == nullptr ? 0 : impl_->program().grid.partitions;
}
std::vector<int> Executable::devices() const {
  return impl_ == nullptr ? std::vector<int>() : impl_->devices();
}

std::vector<int64_t> Executable::local_participants() const {
  return impl_ == nullptr ? std::vector<int64_t>() : impl_->local_participants();
}

absl::StatusOr<std::vector<std::vector<Buffer>>> Executable::ExecuteAllImpl(
    absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options, bool async,
    std::vector<Event>* done) const {
  using AllBuffers = std::vector<std::vector<Buffer>>;
  return api::Guarded([&]() -> absl::StatusOr<AllBuffers> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    AllBuffers out;
    if (impl_->program().grid.size() == 1) {
      if (arguments.size() != 1) {
        return InvalidArgument("{}: expected arguments for 1 participant, given {}", name(),
                               arguments.size());
      }
      if (done != nullptr) done->resize(1);
      ASSIGN_OR_RETURN(out.emplace_back(), ExecuteImpl(arguments[0], options, async,
                                                       done == nullptr ? nullptr : done->data()));
      return out;
    }
    if (api::HasSizes(impl_->program()))
      return Unimplemented("{}: dynamic dimensions and several participants", name());
    std::vector<std::vector<runtime::DeviceBuffer*>> raw;
    for (const auto& own : arguments) {
      auto& list = raw.emplace_back();
      for (const Buffer& b : own) list.push_back(b.impl().get());
    }
    const runtime::RunOptions run{options.donate, options.keep, options.host_transfers};
    ASSIGN_OR_RETURN(std::vector<runtime::Executable::Results> results,
                     async ? impl_->ExecuteAllAsync(raw, run, done) : impl_->ExecuteAll(raw, run));
    for (auto& own : results) {
      auto& list = out.emplace_back();
      for (auto& r : own) list.emplace_back(std::move(r), client_);
    }
    return out;
  });
}

absl::StatusOr<std::vector<std::vector<Buffer>>> Executable::ExecuteOnDevices(
    absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options) const {
  return ExecuteAllImpl(arguments, options, /*async=*/false, nullptr);
}

absl::StatusOr<std::vector<std::vector<Buffer>>> Executable::ExecuteOnDevicesAsync(
    absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options,
    std::vector<Event>* done) const {
  return ExecuteAllImpl(arguments, options, /*async=*/true, done);
}

absl::StatusOr<Literal> Executable::Evaluate(absl::Span<const Literal> arguments,
                                             const ExecuteOptions& options) const {
  return api::Guarded([&]() -> absl::StatusOr<Literal> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    std::vector<const Literal*> flat;
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].ok())
        return Annotate(arguments[i].status(), Format("Evaluate: argument {}", i));
      AppendLeaves(arguments[i], flat);
    }
    std::erase_if(flat, [](const Literal* leaf) { return !leaf->shape().is_array(); });
    Client client(client_);
    // A copy that is still to be made would outlive the call if that fails.
    HostBufferSemantics semantics = client_->device()->shares_host_memory()
                                        ? HostBufferSemantics::kImmutableZeroCopy
                                        : HostBufferSemantics::kImmutableOnlyDuringCall;
    std::vector<Buffer> buffers;
    ExecuteOptions keep_all;
    keep_all.host_transfers = options.host_transfers;
    for (const Literal* literal : flat) {
      Shape shape = literal->shape();
      shape.set_minor_to_major({});
      const void* data = literal->untyped_data();
      HostBufferSemantics until = semantics;
      std::vector<char> moved;
      const std::vector<Shape>& expected = impl_->program().argument_shapes;
      if (buffers.size() < expected.size() && HasLayout(expected[buffers.size()]) &&
          Shape::Compatible(expected[buffers.size()], shape)) {
        shape = expected[buffers.size()];
        moved.resize(static_cast<size_t>(shape.byte_size()));
        CopyFromRowMajor(shape, data, moved.data());
        data = moved.data();
        until = HostBufferSemantics::kImmutableOnlyDuringCall;
      }
      ASSIGN_OR_RETURN(Buffer buffer,
                       client.BufferFromHost(data, shape, until, {}, impl_->devices()[0]));
      keep_all.keep.push_back(static_cast<int64_t>(buffers.size()));
      buffers.push_back(std::move(buffer));
    }
    ASSIGN_OR_RETURN(std::vector<Buffer> results, Execute(buffers, keep_all));
    size_t next = 0;
    return Assemble(impl_->program().result, results, next);
  });
}

}  // namespace sinter
