// Clients of the library: the host's processors, and CUDA devices.
#include "api/client_core.h"
#include "base/status.h"
#include "runtime/cuda/cuda_device.h"
#include "sinter/client.h"
#include "tools/check.h"
#include "tools/device.h"
#include "tools/load.h"
#include "transfer/host.h"

namespace sinter::tools {
namespace {

class Compiled : public LoadedProgram {
 public:
  Compiled(std::shared_ptr<Client> client, Executable executable, CheckedProgram checked,
           bool strict, const std::vector<int64_t>& donate)
      : client_(std::move(client)),
        executable_(std::move(executable)),
        checked_(std::move(checked)),
        strict_(strict),
        donate_(donate),
        feedback_(FeedbackOf(*checked_.module, donate)),
        has_channels_(HasChannels(*checked_.module)) {}

  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> inputs) override {
    std::vector<Literal> leaves;
    {
      ASSIGN_OR_RETURN(Literal result, executable_.Evaluate(inputs, Options()));
      FlattenLiteral(result, &leaves);
    }
    RETURN_IF_ERROR(RunChecks(checked_, leaves, strict_));
    leaves.resize(checked_.results);
    return leaves;
  }

  absl::Status Upload(std::vector<Literal> inputs, const std::vector<int64_t>&) override {
    buffers_.clear();
    for (const Literal& input : inputs) {
      ASSIGN_OR_RETURN(Buffer buffer, client_->BufferFromLiteral(input));
      buffers_.push_back(std::move(buffer));
    }
    return absl::OkStatus();
  }

  absl::Status RunResident() override {
    ASSIGN_OR_RETURN(std::vector<Buffer> results, executable_.Execute(buffers_, Options()));
    FeedBack(results);
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<double>> TimeResident(int runs) override {
    runtime::cuda::CudaDevice* cuda = client_->core()->cuda(0);
    if (cuda == nullptr) return std::nullopt;
    ASSIGN_OR_RETURN(const double all, cuda->Time([&]() -> absl::Status {
      for (int i = 0; i < runs; ++i) {
        ASSIGN_OR_RETURN(std::vector<Buffer> results,
                         executable_.ExecuteAsync(buffers_, Options()));
        FeedBack(results);
        // Runs that the host drives are submitted by another thread.
        if (i + 1 < runs) continue;
        for (const Buffer& r : results) RETURN_IF_ERROR(r.Await());
      }
      return absl::OkStatus();
    }));
    return all / runs;
  }

  absl::StatusOr<Explanation> Explain() const override { return executable_.Explain(); }
  absl::StatusOr<Profile> ProfileResident(const ProfileOptions& options) override {
    ProfileOptions with_host = options;
    with_host.host_transfers = Options().host_transfers;
    return executable_.Profile(buffers_, with_host);
  }

  int64_t kernels() const override { return executable_.kernel_count(); }
  int64_t temp_bytes() const override { return executable_.temp_bytes(); }

 private:
  // Of programs alone that have some: runs are timed.
  static bool HasChannels(const HloModule& module) {
    for (const auto& c : module.computations()) {
      for (const auto& i : c->instructions())
        if (i->op() == HloOpcode::Send || i->op() == HloOpcode::Recv) return true;
    }
    return false;
  }
  // What a run sends to the host comes back.
  ExecuteOptions Options() const {
    ExecuteOptions options;
    if (has_channels_) options.host_transfers = EchoingHost();
    return options;
  }
  void FeedBack(const std::vector<Buffer>& results) {
    for (size_t i = 0; i < donate_.size(); ++i) {
      if (feedback_[i] < 0) continue;
      buffers_[static_cast<size_t>(donate_[i])] = results[static_cast<size_t>(feedback_[i])];
    }
  }

  std::shared_ptr<Client> client_;
  Executable executable_;
  CheckedProgram checked_;
  bool strict_;
  std::vector<int64_t> donate_, feedback_;
  const bool has_channels_;
  std::vector<Buffer> buffers_;
};

class OfClient : public Device {
 public:
  OfClient(std::shared_ptr<Client> client, const DeviceOptions& options)
      : client_(std::move(client)), how_(options) {
    client_->CancelTransfers();
  }

  absl::StatusOr<std::unique_ptr<LoadedProgram>> Load(const HloModule& module,
                                                      const std::vector<int64_t>& donate,
                                                      bool cold) override {
    ASSIGN_OR_RETURN(CheckedProgram checked, ExtractChecks(module));
    CompileOptions options;
    options.donated_parameters = donate;
    options.isa = how_.isa;
    options.allow_contraction = how_.allow_contraction;
    options.allow_excess_precision = how_.allow_excess_precision;
    options.flush_denormals = how_.flush_denormals;
    // Self-checking programs hold their inputs as constants: folded, they would check the folding.
    if (!checked.checks.empty()) options.disabled_passes.push_back("constant-folding");
    if (cold) client_->ClearCache();
    ASSIGN_OR_RETURN(Executable executable,
                     client_->core()->CompileModule(*checked.module, options));
    return std::make_unique<Compiled>(client_, std::move(executable), std::move(checked),
                                      how_.strict_checks, donate);
  }
  absl::Status TransferToInfeed(Literal data) override {
    return client_->TransferToInfeed(std::move(data));
  }
  absl::StatusOr<std::vector<Literal>> TransferFromOutfeed() override {
    return TakeAll([&] { return client_->TransferFromOutfeed(); });
  }
  int threads() const override { return client_->parallelism(); }
  std::string description() const override {
    const runtime::cuda::CudaDevice* cuda = client_->core()->cuda(0);
    if (cuda == nullptr) return "";
    const int version = cuda->driver_version();
    return Format("{}, CUDA driver {}.{}", cuda->properties().name, version / 1000,
                  version % 1000 / 10);
  }

 private:
  std::shared_ptr<Client> client_;
  const DeviceOptions how_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Device>> OpenCpu(const DeviceOptions& options) {
  CpuOptions cpu;
  cpu.threads = options.threads;
  cpu.transfers = UnlimitedTransfers();
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Cpu(cpu));
  return std::make_unique<OfClient>(std::move(client), options);
}

absl::StatusOr<std::unique_ptr<Device>> OpenCuda(const DeviceOptions& options) {
  CudaOptions cuda;
  cuda.transfers = UnlimitedTransfers();
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Cuda(cuda));
  return std::make_unique<OfClient>(std::move(client), options);
}

}  // namespace sinter::tools
