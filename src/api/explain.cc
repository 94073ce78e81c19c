#include "sinter/explain.h"

#include "api/client_core.h"
#include "base/status.h"
#include "program/notes.h"
#include "sinter/executable.h"

namespace sinter {

std::string Explanation::ToString() const {
  std::string out;
  for (const Kernel& k : kernels) {
    out += Format("kernel {}: {}, {} task{}{}\n", k.name, k.nest, k.tasks, k.tasks == 1 ? "" : "s",
                  k.shared ? ", code shared with another kernel" : "");
    for (const std::string& operation : k.operations) out += Format("  {}\n", operation);
    for (const std::string& value : k.cached)
      out += Format("  cached in a task buffer: {}\n", value);
  }
  for (const Edge& e : edges) {
    out += Format("not fused: {} of {} into {}: {}", e.value, e.producer, e.consumer, e.reason);
    if (e.fused_nanoseconds > 0) {
      out += Format(" ({:.3g} ns, by itself {:.3g} ns)", e.fused_nanoseconds, e.apart_nanoseconds);
    }
    out += "\n";
  }
  for (const std::string& t : traffic) out += Format("moved: {}\n", t);
  for (const std::string& r : replicated) out += Format("on every partition: {}\n", r);
  for (const std::string& o : outside) out += Format("outside of kernels: {}\n", o);
  return out + Format("{} kernel{}; passes {:.2f} ms, kernels {:.2f} ms, code {:.2f} ms\n",
                      kernels.size(), kernels.size() == 1 ? "" : "s", pass_milliseconds,
                      kernel_milliseconds, code_milliseconds);
}

absl::StatusOr<Explanation> Executable::Explain() const {
  return api::Guarded([&]() -> absl::StatusOr<Explanation> {
    if (impl_ == nullptr) return InvalidArgument("an empty executable");
    if (impl_->program().notes == nullptr)
      return Unimplemented("{}: the client '{}' does not compile", name(), client_->platform());
    const program::Notes& notes = *impl_->program().notes;
    Explanation out;
    for (const program::Notes::Kernel& k : notes.kernels)
      out.kernels.push_back({k.name, k.nest, k.operations, k.cached, k.tasks, k.shared});
    for (const program::Notes::Edge& e : notes.edges)
      out.edges.push_back({e.producer, e.consumer, e.value, e.reason, e.fused, e.apart});
    out.outside = notes.outside;
    out.traffic = notes.traffic;
    out.replicated = notes.replicated;
    out.parameter_shardings = notes.parameter_shardings;
    out.result_shardings = notes.result_shardings;
    out.pass_milliseconds = notes.pass_ms;
    out.kernel_milliseconds = notes.kernel_ms;
    out.code_milliseconds = notes.code_ms;
    return out;
  });
}

}  // namespace sinter
