#include "pjrt/shardings.h"

#include "base/status.h"
#include "ir/sharding/sharding.h"
#include "pjrt/extensions.h"
#include "pjrt/objects.h"
#include "pjrt/program.h"
#include "pjrt/wire.h"
#include "sinter/explain.h"

namespace sinter::pjrt {
namespace {

absl::Status ShardingsOfParameters(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args& args) {
  if (args.executable == nullptr) return InvalidArgument("no executable");
  const ShardingList& all = args.executable->program->parameter_shardings;
  args.num_parameters = all.texts.size();
  args.shardings = all.texts.empty() ? nullptr : all.texts.data();
  args.sharding_sizes = all.texts.empty() ? nullptr : all.sizes.data();
  return absl::OkStatus();
}

absl::Status ShardingsOfResults(PJRT_Shardings_PJRT_Executable_OutputShardings_Args& args) {
  if (args.executable == nullptr) return InvalidArgument("no executable");
  const ShardingList& all = args.executable->program->result_shardings;
  args.num_outputs = all.texts.size();
  args.shardings = all.texts.empty() ? nullptr : all.texts.data();
  args.sharding_sizes = all.texts.empty() ? nullptr : all.sizes.data();
  return absl::OkStatus();
}

// A repeated field of numbers, packed.
void WriteNumbers(int field, const Dims& numbers, std::string& out) {
  std::string packed;
  for (int64_t n : numbers) WriteVarint(static_cast<uint64_t>(n), packed);
  if (!packed.empty()) WriteBytes(field, packed, out);
}

}  // namespace

absl::StatusOr<std::string> WriteSharding(std::string_view text) {
  ASSIGN_OR_RETURN(const Sharding s, ParseSharding(text));
  enum : int64_t { kReplicated, kMaximal, kTuple, kOther, kManual, kUnknown, kUnreduced };
  std::string out;
  switch (s.kind) {
    case Sharding::Kind::kReplicated:
      return out;  // kReplicated is 0, which is not written
    case Sharding::Kind::kMaximal:
      WriteInteger(1, kMaximal, out);
      WriteNumbers(3, {1}, out);
      WriteNumbers(4, {s.device}, out);
      return out;
    case Sharding::Kind::kManual:
      WriteInteger(1, kManual, out);
      return out;
    case Sharding::Kind::kUnknown:
      WriteInteger(1, kUnknown, out);
      return out;
    case Sharding::Kind::kTuple:
      return InvalidArgument("sharding {}: of a tuple", text);
    case Sharding::Kind::kTiled:
      break;
  }
  WriteInteger(1, kOther, out);
  WriteNumbers(3, s.tiles, out);
  WriteNumbers(4, s.devices, out);
  if (s.subgroups == std::vector<Sharding::Subgroup>{Sharding::Subgroup::kReplicated}) {
    WriteInteger(6, 1, out);
  } else {
    Dims kinds;
    for (Sharding::Subgroup g : s.subgroups)
      kinds.push_back(g == Sharding::Subgroup::kManual      ? kManual
                      : g == Sharding::Subgroup::kUnreduced ? kUnreduced
                                                            : kReplicated);
    WriteNumbers(8, kinds, out);
  }
  return out;
}

absl::Status ReadPropagation(std::string_view compile_options, CompileOptions& options) {
  WireReader reader(compile_options);
  while (reader.Next()) {
    if (reader.field() != 3) continue;  // executable_build_options
    WireReader build(reader.bytes());
    while (build.Next()) {
      std::vector<bool>* flags = build.field() == 12   ? &options.cut_results
                                 : build.field() == 18 ? &options.cut_parameters
                                                       : nullptr;
      if (flags == nullptr) continue;
      // Packed, a byte each, or one by one.
      if (build.bytes().empty()) flags->push_back(build.bits() != 0);
      for (char c : build.bytes()) flags->push_back(c != 0);
    }
    RETURN_IF_ERROR(build.status());
  }
  return reader.status();
}

absl::Status AddShardings(CompiledProgram& program) {
  absl::StatusOr<Explanation> explained = program.executable.Explain();
  if (!explained.ok()) return absl::OkStatus();  // of a client that does not compile
  auto add = [](const std::vector<std::string>& texts, ShardingList& out) -> absl::Status {
    for (const std::string& text : texts) {
      ASSIGN_OR_RETURN(std::string written, WriteSharding(text));
      out.each.push_back(std::move(written));
    }
    for (const std::string& s : out.each) {
      out.texts.push_back(s.data());
      out.sizes.push_back(s.size());
    }
    return absl::OkStatus();
  };
  // A program that states none does the same on every partition.
  if (program.executable.partition_count() > 1 && explained->parameter_shardings.empty() &&
      explained->result_shardings.empty()) {
    explained->parameter_shardings.assign(program.parameters.size(), "{replicated}");
    explained->result_shardings.assign(program.results.size(), "{replicated}");
  }
  RETURN_IF_ERROR(add(explained->parameter_shardings, program.parameter_shardings));
  return add(explained->result_shardings, program.result_shardings);
}

PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next) {
  static PJRT_Shardings_Extension extension = {
      {sizeof(PJRT_Shardings_Extension), PJRT_Extension_Type_Shardings, next},
      ExtensionFunction<&ShardingsOfParameters>::Call,
      ExtensionFunction<&ShardingsOfResults>::Call,
  };
  return &extension.base;
}

}  // namespace sinter::pjrt
