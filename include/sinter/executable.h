// Executables: compiled computations, ready to run.
//
//   sinter::Executable f = client->Compile(computation).value();
//   std::vector<sinter::Buffer> results = f.Execute({x, y}).value();
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/buffer.h"
#include "sinter/explain.h"
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/options.h"
#include "sinter/profile.h"
#include "sinter/shape.h"

namespace sinter {

namespace runtime {
class Executable;
}

// What one run does, as the compiler counts it: bytes of distinct elements of the arguments and
// results of kernels; additions, multiplications and the like, a multiply-add being two, other
// functions by their length; the time that kernels take on one thread. Of loops one turn counts, of
// conditionals every branch, of functions of the host's nothing but their arrays.
struct ExecutionCost {
  int64_t bytes_read = 0, bytes_written = 0;
  double operations = 0;
  int64_t nanoseconds = 0;
  // There is a loop, a library kernel or a function of the host's, so that a run may take any time.
  bool open_ended = false;
};

// A handle; copies are the same executable. Safe to use from several threads, runs at a time
// included. It may outlive its client.
class SINTER_API Executable {
 public:
  // No executable: good only to be assigned to; everything below but is_empty fails with
  // InvalidArgument or is empty.
  Executable() = default;
  bool is_empty() const { return impl_ == nullptr; }

  std::string name() const;
  // The parameters as the computation states them, and flattened: every array leaf of tuples, in
  // order. Arguments are given in that order, and results returned so.
  std::vector<Shape> parameter_shapes() const;
  Shape result_shape() const;
  std::vector<Shape> flat_parameter_shapes() const;
  std::vector<Shape> flat_result_shapes() const;
  // Bytes that a run needs besides arguments and results.
  int64_t temp_bytes() const;
  // Bytes of results that take over the memory of arguments.
  int64_t aliased_bytes() const;
  // Kernels in the program, whatever control flow makes of them.
  int64_t kernel_count() const;
  // The functions of the host's that the program calls by name, in its order, each once.
  std::vector<std::string> custom_call_targets() const;
  // Bytes of machine code, or of PTX text.
  int64_t code_bytes() const;

  // All that it takes to run it, machine code included, for Client::LoadSerialized of the same
  // build of the library on such a device; not what Explain says. Unimplemented for a client that
  // does not compile (Client::Interpreter).
  absl::StatusOr<std::string> Serialize() const;

  ExecutionCost cost() const;

  // Runs and waits for the results. InvalidArgument, with what was expected and what was given, for
  // arguments of a wrong count, shape, element type or layout, of another client, deleted or
  // donated ones, and a buffer that is donated and also read; ResourceExhausted; the error of an
  // argument whose own computation failed. If it fails, donated arguments are as before, unless the
  // run had begun. For a dynamic dimension an argument may have any size up to the bound; results
  // have their real sizes, and are waited for.
  absl::StatusOr<std::vector<Buffer>> Execute(absl::Span<const Buffer> arguments,
                                              const ExecuteOptions& options = {}) const;
  // The same without waiting: checks, then returns results that become ready in time. Donated
  // arguments are gone when it returns. Arguments need not be ready. Runs that wait for a thread of
  // the host's hold no memory for their results; where there is none when one begins, its results
  // are ResourceExhausted. With a client without threads
  // it runs before it returns. `done`, unless null, becomes the event that the run is done, also of
  // a program without results.
  absl::StatusOr<std::vector<Buffer>> ExecuteAsync(absl::Span<const Buffer> arguments,
                                                   const ExecuteOptions& options = {},
                                                   Event* done = nullptr) const;
  // The number of replicas and partitions that it was compiled for, and the devices of the
  // participants (CompileOptions::device_assignment).
  int64_t replica_count() const;
  int64_t partition_count() const;
  std::vector<int> devices() const;
  // The participants whose devices are of this process, in ascending order: of a client of one
  // process, all.
  std::vector<int64_t> local_participants() const;

  // Runs as all participants of this process, each with arguments[n], which are on its device,
  // where n is its place in local_participants(), and waits. Returns the results of each. Other
  // processes must do the same with theirs, in the same order of programs. Errors as those of
  // Execute; the options are the same for all. Also InvalidArgument where participants come to
  // collectives that disagree, or wait for one another for ever, naming them and the operations;
  // Unavailable where they wait too long (CpuOptions::collective_timeout), and where another
  // process is gone or has failed. The error of a participant ends all, and is returned. The client
  // can be used as before.
  absl::StatusOr<std::vector<std::vector<Buffer>>> ExecuteOnDevices(
      absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options = {}) const;
  // The same without waiting, as ExecuteAsync. `done`, unless null, becomes the events that each
  // participant is done. Where one fails, its results have its error, and those of others
  // Unavailable with its message.
  absl::StatusOr<std::vector<std::vector<Buffer>>> ExecuteOnDevicesAsync(
      absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options = {},
      std::vector<Event>* done = nullptr) const;

  // From literals (flattened arguments, or parameters that are tuples) to a literal of the result's
  // shape, without copying arguments. Nothing is donated, whatever the options say.
  absl::StatusOr<Literal> Evaluate(absl::Span<const Literal> arguments,
                                   const ExecuteOptions& options = {}) const;

  // What the compiler made of the computation for this client's device, with the options that it
  // was compiled with. InvalidArgument for an empty executable; Unimplemented for a client that
  // does not compile (Client::Interpreter).
  absl::StatusOr<Explanation> Explain() const;
  // Runs `options.runs` times on `arguments`, waits for each run, and tells how long its kernels
  // and other steps took, and what of the device's limits they reached. Nothing is donated; results
  // are dropped. Runs are timed step by step, so they take somewhat longer than others. Errors as
  // those of Execute; InvalidArgument for options out of range; Unimplemented for a client that has
  // no kernels (Client::Interpreter).
  absl::StatusOr<sinter::Profile> Profile(absl::Span<const Buffer> arguments,
                                          const ProfileOptions& options = {}) const;

  // --- for the library
  Executable(std::shared_ptr<runtime::Executable> impl, std::shared_ptr<api::ClientCore> client)
      : impl_(std::move(impl)), client_(std::move(client)) {}
  const std::shared_ptr<runtime::Executable>& impl() const { return impl_; }

 private:
  absl::StatusOr<std::vector<std::vector<Buffer>>> ExecuteAllImpl(
      absl::Span<const std::vector<Buffer>> arguments, const ExecuteOptions& options, bool async,
      std::vector<Event>* done) const;
  absl::StatusOr<std::vector<Buffer>> ExecuteImpl(absl::Span<const Buffer> arguments,
                                                  const ExecuteOptions& options, bool async,
                                                  Event* done) const;

  std::shared_ptr<runtime::Executable> impl_;
  std::shared_ptr<api::ClientCore> client_;
};

}  // namespace sinter
