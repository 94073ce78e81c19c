// A compiled program with all that callers ask of it, which never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/program/memory_kinds.h"
#include "pjrt/layouts.h"
#include "pjrt/named_values.h"
#include "pjrt/objects.h"
#include "sinter/executable.h"
#include "sinter/pjrt_c_api.h"
#include "sinter/shape.h"

namespace sinter::pjrt {

// Serialized shardings, as the C API has them.
struct ShardingList {
  std::vector<std::string> each;
  std::vector<const char*> texts;
  std::vector<size_t> sizes;
};

struct CompiledProgram {
  Executable executable;

  // What it was made of, to be compiled again elsewhere.
  std::string code, format, options;
  MemoryKinds kinds;  // as the program states them

  std::string name, fingerprint;
  std::vector<Shape> parameters, results;  // flattened
  int64_t parameter_bytes = 0, result_bytes = 0;
  // A run takes less than handing it to another thread.
  bool is_short = false;
  // It calls handlers that have been registered with the plugin. Runs are waited for, so that what
  // these use need live no longer than the call.
  bool calls_handlers = false;

  // Of the results, as the functions of the C API give them.
  std::vector<PJRT_Buffer_Type> types;
  std::vector<int64_t> dims;
  std::vector<size_t> ranks;
  std::vector<int> result_memories;  // the numbers of memories of the device
  std::vector<const char*> result_kinds, parameter_kinds;
  std::vector<size_t> result_kind_sizes, parameter_kind_sizes;
  std::vector<std::unique_ptr<PJRT_Layouts_MemoryLayout>> layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> result_layouts, parameter_layouts;
  // One an array, where there are several partitions; else none.
  ShardingList parameter_shardings, result_shardings;
  NamedValues costs;

  // StableHLO text of what is left of the program once it is simplified, made when first asked for.
  absl::StatusOr<std::string_view> Optimized() const;

 private:
  mutable std::once_flag once_;
  mutable absl::StatusOr<std::string> optimized_;
};

// Of a program's parts. `format` is "mlir", "hlo" or "hlo_with_config"; the latter two as
// protocol buffers or as text.
absl::StatusOr<std::shared_ptr<const CompiledProgram>> Compile(ClientState& client,
                                                               std::string_view code,
                                                               std::string_view format,
                                                               std::string_view options);

// The same with what Executable::Serialize gave of it, and the kinds of memories that the program
// states. Where the image is of another build or for another processor, the program is compiled
// again.
absl::StatusOr<std::shared_ptr<const CompiledProgram>> Load(
    ClientState& client, std::string_view image, MemoryKinds kinds, std::string_view code,
    std::string_view format, std::string_view options);

}  // namespace sinter::pjrt
