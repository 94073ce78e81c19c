#include "pjrt/compile_options.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/status.h"
#include "pjrt/wire.h"

namespace sinter::pjrt {
namespace {

// xla.ShapeProto: whether its layout and those of its elements are row-major.
absl::StatusOr<bool> IsRowMajor(std::string_view shape, int depth = 0) {
  if (depth > 32) return InvalidArgument("a shape is nested too deeply");
  WireReader reader(shape);
  while (reader.Next()) {
    if (reader.field() == 4) {  // tuple_shapes
      ASSIGN_OR_RETURN(const bool row_major, IsRowMajor(reader.bytes(), depth + 1));
      if (!row_major) return false;
    }
    if (reader.field() != 5) continue;  // layout
    WireReader layout(reader.bytes());
    while (layout.Next()) {
      if (layout.field() != 1) continue;  // minor_to_major
      // Packed numbers of a byte each, which those of sensible ranks are.
      const std::string_view order = layout.bytes();
      for (size_t i = 1; i < order.size(); ++i) {
        if (order[i - 1] < order[i]) return false;
      }
    }
    RETURN_IF_ERROR(layout.status());
  }
  RETURN_IF_ERROR(reader.status());
  return true;
}

absl::Status CheckRowMajor(std::string_view shape, std::string_view field) {
  ASSIGN_OR_RETURN(const bool row_major, IsRowMajor(shape));
  if (row_major) return absl::OkStatus();
  return Unimplemented("compile option {}: a layout that is not row-major", field);
}

// Numbers of a repeated field, packed or one by one.
absl::Status AddNumbers(const WireReader& reader, std::vector<int64_t>& numbers) {
  if (reader.bytes().empty()) {
    numbers.push_back(reader.integer());
    return absl::OkStatus();
  }
  std::string_view rest = reader.bytes();
  while (!rest.empty()) {
    uint64_t value = 0;
    int shift = 0;
    for (;; shift += 7) {
      if (rest.empty() || shift > 63) return InvalidArgument("a packed number is cut off");
      const auto byte = static_cast<uint8_t>(rest.front());
      rest.remove_prefix(1);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) break;
    }
    numbers.push_back(static_cast<int64_t>(value));
  }
  return absl::OkStatus();
}

// xla.DeviceAssignmentProto: for each computation (partition) the devices of its replicas.
absl::StatusOr<std::vector<std::vector<int64_t>>> ReadAssignment(std::string_view bytes) {
  std::vector<std::vector<int64_t>> computations;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.field() != 3) continue;
    auto& devices = computations.emplace_back();
    WireReader computation(reader.bytes());
    while (computation.Next()) {
      if (computation.field() == 1) RETURN_IF_ERROR(AddNumbers(computation, devices));
    }
    RETURN_IF_ERROR(computation.status());
  }
  RETURN_IF_ERROR(reader.status());
  return computations;
}

// In the order of participants.
absl::Status SetAssignment(const std::vector<std::vector<int64_t>>& computations,
                           CompileOptions& options) {
  if (computations.empty()) return absl::OkStatus();
  bool fits = static_cast<int64_t>(computations.size()) == options.partitions;
  for (const auto& devices : computations)
    fits = fits && static_cast<int64_t>(devices.size()) == options.replicas;
  if (!fits) {
    return InvalidArgument(
        "compile option device_assignment: {} computations; the program has {} replicas of {} "
        "partitions",
        computations.size(), options.replicas, options.partitions);
  }
  for (size_t r = 0; r < static_cast<size_t>(options.replicas); ++r) {
    for (const auto& devices : computations) {
      if (devices[r] < 0 || devices[r] > INT32_MAX)
        return InvalidArgument("compile option device_assignment: device {}", devices[r]);
      options.device_assignment.push_back(static_cast<int>(devices[r]));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadBuildOptions(std::string_view bytes, CompileOptions& options) {
  std::vector<std::vector<int64_t>> assignment;
  int64_t ordinal = -1;
  WireReader reader(bytes);
  while (reader.Next()) {
    const auto count = reader.integer();
    switch (reader.field()) {
      case 1:
        ordinal = count;
        break;
      case 2:
        RETURN_IF_ERROR(CheckRowMajor(reader.bytes(), "result_layout"));
        break;
      case 4:
        options.replicas = std::max<int64_t>(1, count);
        break;
      case 5:
        options.partitions = std::max<int64_t>(1, count);
        break;
      case 9: {
        ASSIGN_OR_RETURN(assignment, ReadAssignment(reader.bytes()));
        break;
      }
      case 11:
        if (count != 0) return Unimplemented("compile option run_backend_only");
        break;
      default:
        break;
    }
  }
  RETURN_IF_ERROR(reader.status());
  if (assignment.empty() && ordinal >= 0 && options.replicas * options.partitions == 1)
    options.device_assignment = {static_cast<int>(ordinal)};
  return SetAssignment(assignment, options);
}

// OptionOverrideProto: a value of one of four kinds.
struct Override {
  std::string text;
  int64_t integer = 0;
  bool is_text = false;
};
absl::StatusOr<Override> ReadOverride(std::string_view bytes) {
  Override value;
  WireReader reader(bytes);
  while (reader.Next()) {
    value.is_text = reader.field() == 1;
    value.text = std::string(reader.bytes());
    value.integer = reader.integer();
  }
  RETURN_IF_ERROR(reader.status());
  return value;
}

// Options of XLA's that take true or false and mean nothing here; of all others the type is not
// known.
constexpr std::string_view kXlaFlags[] = {
    "xla_allow_scalar_index_dynamic_ops",
    "xla_cpu_enable_concurrency_optimized_scheduler",
    "xla_cpu_enable_fast_math",
    "xla_cpu_enable_fast_min_max",
    "xla_cpu_enable_xprof_traceme",
    "xla_cpu_fast_math_honor_division",
    "xla_cpu_fast_math_honor_functions",
    "xla_cpu_fast_math_honor_infs",
    "xla_cpu_fast_math_honor_nans",
    "xla_cpu_multi_thread_eigen",
    "xla_cpu_strict_dot_conv_math",
    "xla_cpu_use_onednn",
    "xla_cpu_use_thunk_runtime",
    "xla_cpu_use_xnnpack",
    "xla_detailed_logging",
    "xla_disable_all_hlo_passes",
    "xla_dump_compress_protos",
    "xla_dump_disable_metadata",
    "xla_dump_fusion_visualization",
    "xla_dump_hlo_as_dot",
    "xla_dump_hlo_as_html",
    "xla_dump_hlo_as_long_text",
    "xla_dump_hlo_as_proto",
    "xla_dump_hlo_as_text",
    "xla_dump_hlo_as_url",
    "xla_dump_hlo_snapshots",
    "xla_dump_include_timestamp",
    "xla_dump_module_metadata",
    "xla_embed_ir_in_executable",
    "xla_enable_dumping",
    "xla_enable_fast_math",
    "xla_hlo_profile",
    "xla_llvm_disable_expensive_passes",
    "xla_llvm_enable_alias_scope_metadata",
    "xla_llvm_enable_invariant_load_metadata",
    "xla_llvm_enable_noalias_metadata",
    "xla_test_all_input_layouts",
    "xla_test_all_output_layouts",
    "xla_unsupported_crash_on_hlo_pass_fix_max_iterations",
    "xla_use_shardy",
};

absl::Status SetFlag(std::string_view name, const Override& value, bool& flag) {
  if (value.is_text && value.text != "true" && value.text != "false" && value.text != "True" &&
      value.text != "False") {
    return InvalidArgument("compile option {}: '{}' is not a valid bool value.", name, value.text);
  }
  flag = value.is_text ? value.text == "true" || value.text == "True" : value.integer != 0;
  return absl::OkStatus();
}

std::vector<std::string> SplitNames(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    names.emplace_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return names;
}

absl::Status ApplyOverride(std::string_view name, const Override& value, CompileOptions& options) {
  if (name == "sinter_allow_contraction") {
    return SetFlag(name, value, options.allow_contraction);
  } else if (name == "sinter_allow_excess_precision" || name == "xla_allow_excess_precision") {
    return SetFlag(name, value, options.allow_excess_precision);
  } else if (name == "sinter_flush_denormals") {
    return SetFlag(name, value, options.flush_denormals);
  } else if (name == "sinter_isa") {
    options.isa = value.text;
  } else if (name == "sinter_disabled_passes") {
    options.disabled_passes = SplitNames(value.text);
  } else if (name == "sinter_dump_directory" || name == "xla_dump_to") {
    options.dump_directory = value.text;
  } else if (name.starts_with("sinter_")) {
    return Unimplemented(
        "compile option {}; there are sinter_allow_contraction, sinter_allow_excess_precision, "
        "sinter_flush_denormals, sinter_isa, sinter_disabled_passes and sinter_dump_directory",
        name);
  } else if (std::find(std::begin(kXlaFlags), std::end(kXlaFlags), name) != std::end(kXlaFlags)) {
    bool unused = false;
    return SetFlag(name, value, unused);
  } else if (!name.starts_with("xla_")) {
    return InvalidArgument("No such compile option: '{}'", name);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ProgramOptions> ReadCompileOptions(std::string_view bytes) {
  ProgramOptions options;
  // As XLA's CPU runs programs, for which they are written: Intel's processors take 25 times as
  // long for an attention whose probabilities are denormal.
  options.compile.flush_denormals = true;
  WireReader reader(bytes);
  while (reader.Next()) {
    switch (reader.field()) {
      case 1:
        RETURN_IF_ERROR(CheckRowMajor(reader.bytes(), "argument_layouts"));
        break;
      case 2:
        options.tupled_arguments = reader.bits() != 0;
        break;
      case 3:
        RETURN_IF_ERROR(ReadBuildOptions(reader.bytes(), options.compile));
        break;
      case 7: {  // an entry of a map: key and value
        WireReader entry(reader.bytes());
        std::string_view name, value;
        while (entry.Next()) (entry.field() == 1 ? name : value) = entry.bytes();
        RETURN_IF_ERROR(entry.status());
        ASSIGN_OR_RETURN(const Override read, ReadOverride(value));
        RETURN_IF_ERROR(ApplyOverride(name, read, options.compile));
        break;
      }
      default:
        break;
    }
  }
  RETURN_IF_ERROR(reader.status());
  return options;
}

}  // namespace sinter::pjrt
