#include "sinter/explain.h"

#include "api/client_core.h"
#include "api/explain_module.h"
#include "base/status.h"
#include "codegen/cpu/compiler.h"
#include "compiler/compile.h"
#include "ir/module.h"

namespace sinter {

std::string Explanation::ToString() const {
  std::string out;
  for (const Kernel& k : kernels) {
    out += Format("kernel {}: {}, {} task{}{}\n", k.name, k.nest, k.tasks, k.tasks == 1 ? "" : "s",
                  k.shared ? ", code shared with an equal kernel" : "");
    for (const std::string& operation : k.operations) out += Format("  {}\n", operation);
    for (const std::string& value : k.cached)
      out += Format("  cached in a task buffer: {}\n", value);
  }
  for (const std::string& o : outside) out += Format("outside of kernels: {}\n", o);
  return out + Format("{} kernel{}; passes {:.2f} ms, kernels {:.2f} ms, code {:.2f} ms\n",
                      kernels.size(), kernels.size() == 1 ? "" : "s", pass_milliseconds,
                      kernel_milliseconds, code_milliseconds);
}

absl::StatusOr<Explanation> Explain(const Computation& computation) {
  return api::Guarded([&]() -> absl::StatusOr<Explanation> {
    if (computation.IsNull()) return InvalidArgument("the computation to explain is null");
    std::unique_ptr<HloModule> module = computation.module()->Clone();
    return api::ExplainModule(*module);
  });
}

absl::StatusOr<Explanation> api::ExplainModule(HloModule& module) {
  ASSIGN_OR_RETURN(cpu::Target target, cpu::Target::Host());
  ASSIGN_OR_RETURN(std::unique_ptr<cpu::Compiler> code, cpu::Compiler::Create(std::move(target)));
  compiler::Report report;
  RETURN_IF_ERROR(
      compiler::Compile(module, *compiler::CpuBackend(*code, /*threads=*/2), {}, &report).status());
  Explanation explanation;
  for (compiler::KernelReport& k : report.kernels) {
    explanation.kernels.push_back({std::move(k.name), std::move(k.nest), std::move(k.operations),
                                   std::move(k.cached), k.tasks, k.shared});
  }
  explanation.outside = std::move(report.outside);
  explanation.pass_milliseconds = report.pass_ms;
  explanation.kernel_milliseconds = report.emit_ms;
  explanation.code_milliseconds = report.codegen_ms;
  return explanation;
}

}  // namespace sinter
