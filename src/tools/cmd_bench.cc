// sinter bench FILE: what compiling and running takes.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/status.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/profile_report.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kColdCompiles = 3, kLeastRuns = 3;
constexpr size_t kMostRuns = 10'000'000;
constexpr int kMostTimedRuns = 1000;  // submitted before the first is waited for
constexpr double kMostProfiledRuns = 10'000;
constexpr int64_t kMostEvents = 200'000;  // of a trace: some 40 MB of text

struct BenchFlags {
  ProgramFile program;
  std::string inputs;
  std::vector<std::string> files;
  DeviceOptions device{.threads = 2};
  double seconds = 1;
  bool json = false, profile = false;
  std::string trace;
};

double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double Median(std::vector<double> times) {
  auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

absl::StatusOr<BenchSpec> ReadSpec(const std::string& file) {
  ASSIGN_OR_RETURN(const std::string json, ReadFile(file));
  absl::StatusOr<BenchSpec> spec = ParseBenchSpec(json);
  return spec.ok() ? spec : AsInputError(InFile(spec.status(), file));
}

absl::Status CheckSpec(const BenchSpec& spec, const HloModule& module) {
  const std::vector<Shape> shapes = FlatParameters(module);
  if (spec.inputs.size() != shapes.size()) {
    return InvalidArgument("the program takes {} inputs, {} are specified", shapes.size(),
                           spec.inputs.size());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!Shape::Fits(spec.inputs[i].shape, shapes[i])) {
      return InvalidArgument("input {} is specified as {}, the parameter is {}", i,
                             spec.inputs[i].shape.ToString(), shapes[i].ToString());
    }
  }
  for (int64_t d : spec.donate) {
    if (d < 0 || d >= static_cast<int64_t>(shapes.size())) {
      return InvalidArgument("there is no input {} to donate", d);
    }
  }
  return absl::OkStatus();
}

absl::Status Bench(const BenchFlags& flags) {
  BenchSpec spec;
  std::vector<Dims> sizes;  // of dimensions that the program leaves open
  if (!flags.inputs.empty()) {
    ASSIGN_OR_RETURN(spec, ReadSpec(flags.inputs));
    for (const InputSpec& input : spec.inputs) sizes.push_back(input.shape.dimensions());
  } else {
    ASSIGN_OR_RETURN(sizes, SizesOf(flags.files));
  }
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  if (flags.inputs.empty()) {
    for (const Shape& s : FlatParameters(*module)) spec.inputs.push_back(DefaultSpec(s));
  }
  RETURN_IF_ERROR(CheckSpec(spec, *module));
  ASSIGN_OR_RETURN(auto device, OpenDevice(flags.device));

  // How long one compilation takes; the program stays in `program`.
  std::unique_ptr<LoadedProgram> program;
  auto compile = [&](bool cold) -> absl::StatusOr<double> {
    program.reset();
    auto start = Clock::now();
    ASSIGN_OR_RETURN(program, device->Load(*module, spec.donate, cold));
    return MillisecondsSince(start);
  };
  ASSIGN_OR_RETURN(double first_compile, compile(true));
  std::vector<double> cold;
  for (int i = 0; i < kColdCompiles; ++i) {
    ASSIGN_OR_RETURN(double ms, compile(true));
    cold.push_back(ms);
  }
  ASSIGN_OR_RETURN(double recompile, compile(false));

  std::vector<Literal> inputs;
  if (!flags.files.empty()) {
    ASSIGN_OR_RETURN(inputs, MakeInputs(*module, flags.files, 0));
  } else {
    for (size_t i = 0; i < spec.inputs.size(); ++i) inputs.push_back(MakeInput(spec.inputs[i], i));
  }
  RETURN_IF_ERROR(program->Upload(std::move(inputs), spec.donate));
  RETURN_IF_ERROR(program->RunResident());  // pages are touched and pools filled
  std::vector<double> runs;
  auto start = Clock::now();
  while (runs.size() < kMostRuns &&
         (runs.size() < kLeastRuns || MillisecondsSince(start) < flags.seconds * 1000)) {
    auto run_start = Clock::now();
    RETURN_IF_ERROR(program->RunResident());
    runs.push_back(MillisecondsSince(run_start));
  }

  // As many as fill the time again, by the shortest run.
  const double shortest = *std::min_element(runs.begin(), runs.end());
  const double many = flags.seconds * 1000 / std::max(shortest, 1e-3);
  ASSIGN_OR_RETURN(const std::optional<double> device_ms,
                   program->TimeResident(static_cast<int>(
                       std::clamp(many, double{kLeastRuns}, double{kMostTimedRuns}))));

  std::optional<Profile> profile;
  if (flags.profile || !flags.trace.empty()) {
    ProfileOptions options;
    options.runs = static_cast<int64_t>(std::clamp(many, double{kLeastRuns}, kMostProfiledRuns));
    if (!flags.trace.empty()) options.event_limit = kMostEvents;
    ASSIGN_OR_RETURN(profile, program->ProfileResident(options));
  }
  if (!flags.trace.empty()) RETURN_IF_ERROR(WriteFile(flags.trace, TraceJson(*profile)));

  nlohmann::ordered_json j;
  j["name"] = flags.program.path == "-" ? module->name()
                                        : std::filesystem::path(flags.program.path).stem().string();
  j["device"] = flags.device.name;
  if (std::string what = device->description(); !what.empty()) j["device_name"] = what;
  j["threads"] = device->threads();
  j["first_compile_ms"] = first_compile;
  j["compile_ms"] = Median(cold);
  j["recompile_ms"] = recompile;
  j["disk_ms"] = nullptr;  // there is no cache on disk yet
  j["run_ms"] = Median(runs);
  j["run_min_ms"] = shortest;
  if (device_ms) j["device_ms"] = *device_ms;
  j["kernels"] = program->kernels();
  j["temp_bytes"] = program->temp_bytes();
  if (flags.json) {
    if (flags.profile) j["profile"] = ProfileJson(*profile);
    std::printf("%s\n", j.dump().c_str());
    return absl::OkStatus();
  }
  for (const auto& [key, value] : j.items()) {
    std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    std::printf("%-18s %s\n", key.c_str(), text.c_str());
  }
  if (flags.profile) std::printf("\n%s", profile->ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

void AddBench(CLI::App& app, Action& action) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App* c = app.add_subcommand("bench", "Time compilations and runs");
  AddProgramOptions(*c, flags->program);
  c->add_option("--inputs", flags->inputs, "SPEC.json: shapes, types and distributions of inputs");
  c->add_option("--input", flags->files,
                "X.npy, one for each parameter in order, in place of random inputs");
  c->add_option("--device", flags->device.name, "cpu, eval (the interpreter) or cuda")
      ->check(CLI::IsMember({"cpu", "eval", "cuda"}));
  c->add_option("--threads", flags->device.threads, "Threads to use (2)")
      ->check(CLI::Range(0, 1024));
  AddNumericOptions(*c, flags->device);
  c->add_option("--seconds", flags->seconds, "How long to repeat the run (1)")
      ->check(CLI::Range(0.0, 3600.0));
  c->add_flag("--json", flags->json, "Print one line of JSON");
  c->add_flag("--profile", flags->profile, "Tell where the time goes: kernels and other steps");
  c->add_option("--profile-trace", flags->trace,
                "Write the steps of profiled runs to FILE, for Perfetto or chrome://tracing");
  c->callback([flags, &action] {
    action = [flags] { return InFile(Bench(*flags), flags->program.shown()); };
  });
}

}  // namespace sinter::tools
