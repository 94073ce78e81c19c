#include "fuzz/check.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include "api/client_core.h"
#include "api/compiler.h"
#include "base/status.h"
#include "codegen/cpu/target.h"
#include "eval/eval.h"
#include "fuzz/types.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "jit/loader.h"
#include "kernels/program_run.h"
#include "sinter/client.h"
#include "sinter/testing.h"

namespace sinter::fuzz {

namespace {

absl::StatusOr<Literal> Run(Client& client, const HloModule& module, const Variant& variant,
                            const std::vector<Literal>& arguments) {
  CompileOptions options;
  options.isa = variant.isa;
  options.disabled_passes = variant.DisabledPasses();
  ASSIGN_OR_RETURN(Executable executable, client.core()->CompileModule(module, options));
  return executable.Evaluate(arguments);
}

}  // namespace

std::vector<std::string> Variant::DisabledPasses() const {
  if (simplify) return {};
  return {"algebraic", "constant-folding", "common-subexpressions"};
}

std::vector<Variant> AllVariants() {
  std::vector<Variant> all;
  for (const std::string& isa : cpu::Target::RunnableLevels()) {
    all.push_back({isa, true});
    all.push_back({isa, false});
  }
  return all;
}

// Whether there may be NaNs of fewer than 16 bits. Kernels have them as bytes, in which nothing
// shows that their signs are free.
static bool HasNarrowNans(const Program& program) {
  for (const Function& function : program.functions) {
    for (const Node& node : function.nodes) {
      if (IsFloat(node.type) && IsNarrow(node.type) && !node.facts.tame()) return true;
    }
  }
  return false;
}

struct Checker::Clients {
  // Of so many threads, made when it is first asked for.
  Client& Of(int threads) {
    std::shared_ptr<Client>& client = clients[threads];
    if (client == nullptr) {
      CpuOptions options;
      options.cache_entries = 1;
      options.threads = threads;
      client = *Client::Cpu(options);
    }
    return *client;
  }

  std::map<int, std::shared_ptr<Client>> clients;
  std::map<std::string, std::unique_ptr<cpu::Compiler>> compilers;  // by instruction set
  std::unique_ptr<program::Loader> loader;

  // Every kernel on the interpreter and as machine code, and what comes of it. `small`: planned for
  // caches so small that arrays are large to them.
  absl::StatusOr<Literal> RunKernels(const HloModule& module, const Variant& variant,
                                     const std::vector<Literal>& arguments, bool small) {
    std::unique_ptr<cpu::Compiler>& compiler = compilers[variant.isa];
    if (compiler == nullptr) {
      ASSIGN_OR_RETURN(cpu::Target target, cpu::Target::Level(variant.isa));
      ASSIGN_OR_RETURN(compiler, cpu::Compiler::Create(std::move(target)));
    }
    if (loader == nullptr) {
      ASSIGN_OR_RETURN(loader, jit::CreateLoader());
    }
    PipelineOptions passes;
    passes.disabled = variant.DisabledPasses();
    CpuMachine machine;
    if (small) {
      machine.l2_bytes = 2 << 10;
      machine.l3_bytes = 8 << 10;
    }
    ASSIGN_OR_RETURN(testing::ProgramRun run,
                     testing::ProgramRun::Compile(module, *compiler, *loader, passes, machine));
    ASSIGN_OR_RETURN(std::vector<Literal> leaves, run.Run(LeavesOf(arguments)));
    return FromLeaves(module.entry()->root()->shape(), std::move(leaves));
  }
};

Checker::Checker() : clients_(std::make_unique<Clients>()) {}
Checker::~Checker() = default;

std::optional<std::string> Checker::Check(const Program& program, uint64_t seed,
                                          const Checks& checks) {
  std::string text = fuzz::Print(program);
  auto module = ParseHloText(text, "fuzz.hlo");
  if (!module.ok()) return "cannot be read: " + std::string(module.status().message());
  if (absl::Status s = VerifyModule(**module); !s.ok()) return "does not verify: " + s.ToString();
  std::string printed = sinter::Print(**module);
  auto again = ParseHloText(printed, "printed.hlo");
  if (!again.ok()) return "cannot be read after printing: " + again.status().ToString();
  if (sinter::Print(**again) != printed) return "printing and reading changes it:\n" + printed;
  std::vector<Literal> arguments = Arguments(program, seed);
  auto expected = Evaluate(**module, arguments);
  if (!expected.ok()) return "eval: " + expected.status().ToString();
  for (const Variant& v : checks.variants) {
    auto actual = Run(clients_->Of(1), **module, v, arguments);
    if (!actual.ok()) return v.Text() + ": " + actual.status().ToString();
    if (absl::Status s = Compare(program, *actual, *expected); !s.ok())
      return v.Text() + ": " + s.ToString();
    if (checks.kernels && !HasNarrowNans(program)) {
      auto by_kernel = clients_->RunKernels(**module, v, arguments, seed % 2 == 1);
      if (!by_kernel.ok()) return v.Text() + ", kernel by kernel: " + by_kernel.status().ToString();
      if (absl::Status s = Compare(program, *by_kernel, *expected); !s.ok())
        return v.Text() + ", kernel by kernel: " + s.ToString();
    }
    if (!checks.two_threads) continue;
    auto other = Run(clients_->Of(2), **module, v, arguments);
    if (!other.ok()) return v.Text() + ", 2 threads: " + other.status().ToString();
    if (absl::Status s = ExpectEqual(*other, *actual); !s.ok()) {
      return v.Text() + ", 2 threads against 1: " + s.ToString();
    }
  }
  return std::nullopt;
}

std::string Kind(const std::string& wrong) {
  for (const char* kind :
       {"cannot be read", "does not verify", "printing", "ended by signal 14", "ended by signal 24",
        "ended by signal 9", "ended by signal", "kernel of", "DATA_LOSS", "INTERNAL",
        "UNIMPLEMENTED", "INVALID", "against 1", "eval"}) {
    if (wrong.find(kind) != wrong.npos) return kind;
  }
  return "values";
}

std::optional<std::string> CheckApart(const Program& program, uint64_t seed, const Checks& checks) {
  return Apart([&] { return Checker().Check(program, seed, checks); });
}

std::optional<std::string> Apart(const std::function<std::optional<std::string>()>& check) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    for (int s : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS}) std::signal(s, SIG_DFL);
    // Of a processor, and, should it wait for what never comes, of the clock: others may be at
    // work.
    const rlimit seconds{20, 20};
    setrlimit(RLIMIT_CPU, &seconds);
    alarm(300);
    std::string result = check().value_or("");
    size_t done = 0;
    while (done < result.size()) {
      ssize_t n = write(ends[1], result.data() + done, result.size() - done);
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string result;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    result.append(buffer, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) return "ended by signal " + std::to_string(WTERMSIG(status));
  if (result.empty()) return std::nullopt;
  return result;
}

}  // namespace sinter::fuzz
