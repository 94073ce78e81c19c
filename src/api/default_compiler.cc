#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "api/compiler.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/thread/workers.h"
#include "codegen/cpu/compiler.h"
#include "codegen/cpu/target.h"
#include "compiler/compile.h"
#include "ir/analysis/equality.h"
#include "ir/module.h"
#include "ir/participants.h"
#include "jit/loader.h"
#include "runtime/cpu/caches.h"

namespace sinter::api {
namespace {

// Writes each stage of a compilation into a folder.
class Dump {
 public:
  Dump(std::string folder, std::vector<std::string> passes)
      : folder_(std::move(folder)), passes_(std::move(passes)) {}

  absl::Status Open() {
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error) return Unavailable("dump={}: {}", folder_.string(), error.message());
    return absl::OkStatus();
  }
  void Write(std::string_view name, std::string_view text) {
    auto named = [&](const std::string& pass) { return name.find(pass) != std::string_view::npos; };
    if (!passes_.empty() && name.ends_with(".hlo") &&
        std::none_of(passes_.begin(), passes_.end(), named))
      return;
    std::ofstream out(folder_ / name, std::ios::binary);
    out << text;
    if (!out.good() && status_.ok())
      status_ = Unavailable("cannot write {}", (folder_ / name).string());
  }
  const absl::Status& status() const { return status_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> passes_;
  absl::Status status_;
};

// One code generator an instruction set, made when first needed.
class Generators {
 public:
  absl::StatusOr<cpu::Compiler*> For(const std::string& isa) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::unique_ptr<cpu::Compiler>& compiler = compilers_[isa];
    if (compiler == nullptr) {
      ASSIGN_OR_RETURN(cpu::Target target, TargetOf(isa));
      ASSIGN_OR_RETURN(compiler, cpu::Compiler::Create(std::move(target)));
    }
    return compiler.get();
  }

 private:
  static absl::StatusOr<cpu::Target> TargetOf(const std::string& isa) {
    if (isa.empty()) return cpu::Target::Host();
    ASSIGN_OR_RETURN(cpu::Target target, cpu::Target::Level(isa));
    if (!cpu::Target::RunsLevel(isa)) {
      return Unavailable("isa={}: this processor has {}", isa,
                         Join(cpu::Target::RunnableLevels(), ", "));
    }
    return target;
  }
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<cpu::Compiler>> compilers_;
};

CpuMachine HostMachine(int threads) {
  const runtime::cpu::CacheSizes& sizes = runtime::cpu::CachesOfHost();
  CpuMachine machine;
  if (sizes.l2_bytes > 0) {
    machine.l2_bytes = sizes.l2_bytes;
    machine.l3_bytes = sizes.l3_bytes;
  }
  machine.threads = threads;
  return machine;
}

// A program that was written for several participants runs on one device if it needs no others.
absl::Status SetParticipants(HloModule& module, const CompileOptions& options) {
  const collective::Grid grid{options.replicas, options.partitions};
  if (grid.size() == 1 && GridOf(module).size() > 1) {
    for (const HloComputation* c : module.PostOrder()) {
      for (const HloInstruction* i : c->PostOrder()) {
        if (NeedsParticipants(i->op())) RETURN_IF_ERROR(AloneOnDevice(*i).status());
      }
    }
  }
  module.set_replica_count(grid.replicas);
  module.set_partition_count(grid.partitions);
  return absl::OkStatus();
}

void AddKey(const HloModule& module, Hasher& key) {
  key.Add(ModuleFingerprint(module));
  key.Add(ShardingFingerprint(module));
}

// A copy as the options want it.
absl::StatusOr<std::unique_ptr<HloModule>> Prepared(const HloModule& module,
                                                    const CompileOptions& options) {
  std::unique_ptr<HloModule> copy = module.Clone();
  RETURN_IF_ERROR(SetParticipants(*copy, options));
  RETURN_IF_ERROR(AddDonations(*copy, options.donated_parameters));
  return copy;
}

compiler::Options ForCompiler(const CompileOptions& options) {
  compiler::Options how;
  how.verify = SINTER_ASSERTIONS;
  how.partitions = options.partitions;
  how.partition = {options.cut_parameters, options.cut_results};
  how.stated_layouts = options.stated_layouts;
  how.emit = {options.allow_contraction, options.allow_excess_precision};
  how.passes.disabled = options.disabled_passes;
  how.passes.limit = options.pass_limit;
  return how;
}

absl::StatusOr<Compiled> CompileFor(compiler::Backend& backend, const HloModule& module,
                                    const CompileOptions& options, Workers& workers) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> copy, Prepared(module, options));
  compiler::Options how = ForCompiler(options);
  how.workers = &workers;
  // Donated parameters that no result fits are consumed too.
  Compiled out;
  out.donated = AliasedParameters(*copy);
  out.donated.insert(out.donated.end(), options.donated_parameters.begin(),
                     options.donated_parameters.end());
  if (options.dump_directory.empty()) {
    ASSIGN_OR_RETURN(out.program, compiler::Compile(*copy, backend, how));
    return out;
  }
  Dump dump(options.dump_directory + "/" + module.name(), options.dump_passes);
  RETURN_IF_ERROR(dump.Open());
  how.dump = [&](std::string_view name, std::string_view text) { dump.Write(name, text); };
  ASSIGN_OR_RETURN(out.program, compiler::Compile(*copy, backend, how));
  RETURN_IF_ERROR(dump.status());
  return out;
}

// Every array leaf of a shape, with its path.
struct Leaf {
  int64_t parameter = 0;
  Dims path;
  const Shape* shape = nullptr;
};
void AddLeaves(const Shape& shape, Leaf& at, std::vector<Leaf>& out) {
  if (!shape.is_tuple()) {
    at.shape = &shape;
    if (shape.is_array()) out.push_back(at);
    return;
  }
  for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
    at.path.push_back(static_cast<int64_t>(i));
    AddLeaves(shape.tuple_shapes()[i], at, out);
    at.path.pop_back();
  }
}

std::vector<Leaf> ArgumentLeaves(const HloModule& module) {
  std::vector<Leaf> out;
  for (const HloInstruction* p : module.entry()->parameters()) {
    Leaf at;
    at.parameter = p->attrs<ParameterAttrs>().number;
    AddLeaves(p->shape(), at, out);
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<HloModule>> SimplifyModule(const HloModule& module,
                                                          const CompileOptions& options) {
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> copy, Prepared(module, options));
  RETURN_IF_ERROR(compiler::Simplify(*copy, ForCompiler(options)));
  return copy;
}

absl::Status AddDonations(HloModule& module, absl::Span<const int64_t> parameters) {
  if (parameters.empty()) return absl::OkStatus();
  std::vector<Leaf> arguments = ArgumentLeaves(module), results;
  Leaf root;
  AddLeaves(module.entry()->root()->shape(), root, results);
  for (int64_t i : parameters) {
    if (i < 0 || i >= static_cast<int64_t>(arguments.size())) {
      return InvalidArgument("donated_parameters: {} of {} parameters", i, arguments.size());
    }
    const Leaf& argument = arguments[static_cast<size_t>(i)];
    auto& aliases = module.aliases();
    bool taken = std::any_of(aliases.begin(), aliases.end(), [&](const InputOutputAlias& a) {
      return a.parameter == argument.parameter && a.parameter_index == argument.path;
    });
    if (taken) continue;
    for (const Leaf& result : results) {
      if (!Shape::Compatible(*result.shape, *argument.shape)) continue;
      bool has_one = std::any_of(aliases.begin(), aliases.end(), [&](const InputOutputAlias& a) {
        return a.output_index == result.path;
      });
      if (has_one) continue;
      aliases.push_back({result.path, argument.parameter, argument.path});
      break;
    }
  }
  return absl::OkStatus();
}

std::vector<int64_t> AliasedParameters(const HloModule& module) {
  std::vector<int64_t> out;
  if (module.aliases().empty()) return out;
  std::vector<Leaf> arguments = ArgumentLeaves(module);
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const InputOutputAlias& a : module.aliases()) {
      if (a.parameter != arguments[i].parameter || a.parameter_index != arguments[i].path) continue;
      out.push_back(static_cast<int64_t>(i));
      break;
    }
  }
  return out;
}

absl::StatusOr<Compiler> DefaultCompiler() {
  Compiler compiler;
  ASSIGN_OR_RETURN(compiler.loader, jit::CreateLoader());
  compiler.key = AddKey;
  compiler.check_target = &cpu::Target::CheckRunnable;
  auto generators = std::make_shared<Generators>();
  compiler.compile = [generators](const HloModule& module, const CompileOptions& options,
                                  Workers& workers) -> absl::StatusOr<Compiled> {
    ASSIGN_OR_RETURN(cpu::Compiler * code, generators->For(options.isa));
    return CompileFor(*compiler::CpuBackend(*code, HostMachine(workers.parallelism())), module,
                      options, workers);
  };
  return compiler;
}

absl::StatusOr<Compiler> CudaCompiler(int compute_capability, int driver_version,
                                      int multiprocessors) {
  // Code for a compute capability runs on later minor versions of it, and, through the driver's
  // compiler, on later GPUs: the newest that is known and no newer than the GPU.
  std::string best;
  int best_sm = 0;
  for (const std::string& name : gpu::Target::Names()) {
    ASSIGN_OR_RETURN(gpu::Target target, gpu::Target::Parse(name));
    bool specific = !name.empty() && name.back() == 'a';
    if (specific ? target.sm != compute_capability : target.sm > compute_capability) continue;
    if (target.sm < best_sm) continue;
    // Code for this GPU alone is better, if the driver supports it.
    if (!gpu::Target::Parse(name, driver_version).ok()) continue;
    best = name;
    best_sm = target.sm;
  }
  if (best.empty()) {
    return Unavailable(
        "no code for a GPU of compute capability {}.{} with the driver for CUDA {}.{}",
        compute_capability / 10, compute_capability % 10, driver_version / 1000,
        driver_version % 1000 / 10);
  }
  ASSIGN_OR_RETURN(gpu::Target target, gpu::Target::Parse(best, driver_version));
  ASSIGN_OR_RETURN(std::unique_ptr<gpu::Compiler> made, gpu::Compiler::Create(std::move(target)));
  std::shared_ptr<gpu::Compiler> code = std::move(made);
  Compiler compiler;
  compiler.key = AddKey;
  compiler.check_target = [best](const std::string& name) {
    if (name == best) return absl::OkStatus();
    return Unavailable("the code is for {}, this GPU takes {}", name, best);
  };
  GpuMachine machine;
  machine.multiprocessors = multiprocessors;
  compiler.compile = [code, machine](const HloModule& module, const CompileOptions& options,
                                     Workers& workers) {
    return CompileFor(*compiler::CudaBackend(*code, machine), module, options, workers);
  };
  return compiler;
}

}  // namespace sinter::api
