#include "clients.h"

namespace sinter::conformance {

std::vector<Device> Devices() {
  auto with = [](std::string name, const CpuOptions& options) {
    Device device;
    device.name = std::move(name);
    device.make = [options] { return Client::Cpu(options); };
    device.executor = options.executor;
    return device;
  };
  CpuOptions two, one, on_caller, host;
  two.threads = 2;
  one.threads = 1;
  on_caller.inline_execution = true;
  host.executor = std::make_shared<OneThreadExecutor>();
  std::vector<Device> out = {with("cpu, two threads", two), with("cpu, one thread", one),
                             with("cpu, inline", on_caller),
                             with("cpu, the host's one thread", host)};
  out[2].asynchronous = false;
  Device interpreter;
  interpreter.name = "interpreter, one thread";
  interpreter.make = [one] { return Client::Interpreter(one); };
  interpreter.exact = false;  // elementary functions are rounded from long double
  out.push_back(std::move(interpreter));
  return out;
}

}  // namespace sinter::conformance
