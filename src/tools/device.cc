#include "tools/device.h"

#include "base/status.h"
#include "eval/eval.h"
#include "sinter/testing.h"
#include "tools/check.h"
#include "tools/load.h"
#include "transfer/host.h"

namespace sinter::tools {
namespace {

class Interpreted : public LoadedProgram {
 public:
  Interpreted(std::unique_ptr<HloModule> module, const std::vector<int64_t>& donate,
              std::shared_ptr<TransferQueues> transfers, bool strict)
      : module_(std::move(module)),
        strict_(strict),
        donate_(donate),
        feedback_(FeedbackOf(*module_, donate)),
        transfers_(std::move(transfers)) {}

  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> inputs) override {
    std::vector<Literal> leaves(inputs.begin(), inputs.end());
    // The hook knows where in the program a check stands; the interpreter reports only what failed.
    absl::Status failed;
    EvalOptions options;
    options.transfers = transfers_.get();
    // What the run sends to the host comes back.
    const std::shared_ptr<const HostTransfers> host = EchoingHost();
    options.host = host.get();
    options.custom_call =
        [&](const HloInstruction& i,
            absl::Span<const Literal> operands) -> absl::StatusOr<std::optional<Literal>> {
      const auto& attrs = i.attrs<CustomCallAttrs>();
      if (!IsCheck(attrs.custom_call_target)) return std::nullopt;
      failed = AtPlace(
          RunCheck(attrs.custom_call_target, attrs.opaque, operands, CheckRules{.by_ulp = strict_}),
          i.metadata());
      if (!failed.ok()) return failed;
      return Literal(i.shape());
    };
    auto result = Evaluate(*module_, ArgumentsFromLeaves(*module_, leaves), options);
    if (!failed.ok()) return failed;
    if (!result.ok()) return result.status();
    std::vector<Literal> out;
    FlattenLiteral(*result, &out);
    return out;
  }

  absl::Status Upload(std::vector<Literal> inputs, const std::vector<int64_t>&) override {
    inputs_ = std::move(inputs);
    return absl::OkStatus();
  }
  absl::Status RunResident() override {
    ASSIGN_OR_RETURN(std::vector<Literal> results, Run(inputs_));
    for (size_t i = 0; i < donate_.size(); ++i) {
      if (feedback_[i] < 0) continue;
      inputs_[static_cast<size_t>(donate_[i])] = results[static_cast<size_t>(feedback_[i])];
    }
    return absl::OkStatus();
  }
  absl::StatusOr<Explanation> Explain() const override {
    return Unimplemented("the interpreter compiles nothing to explain");
  }
  absl::StatusOr<Profile> ProfileResident(const ProfileOptions&) override {
    return Unimplemented("the interpreter has no kernels to profile");
  }

 private:
  std::unique_ptr<HloModule> module_;
  const bool strict_;
  std::vector<int64_t> donate_, feedback_;
  const std::shared_ptr<TransferQueues> transfers_;
  std::vector<Literal> inputs_;
};

class Interpreter : public Device {
 public:
  explicit Interpreter(bool strict) : strict_(strict) { transfers_->Cancel(); }
  absl::StatusOr<std::unique_ptr<LoadedProgram>> Load(const HloModule& module,
                                                      const std::vector<int64_t>& donate,
                                                      bool) override {
    return std::make_unique<Interpreted>(module.Clone(), donate, transfers_, strict_);
  }
  absl::Status TransferToInfeed(Literal data) override {
    return transfers_->to_infeed().Offer(std::move(data));
  }
  absl::StatusOr<std::vector<Literal>> TransferFromOutfeed() override {
    return TakeAll([&] { return transfers_->from_outfeed().Take(); });
  }

 private:
  const bool strict_;
  const std::shared_ptr<TransferQueues> transfers_ =
      std::make_shared<TransferQueues>(UnlimitedTransfers());
};

// The number of leaves of `shape` that stand before the one at `index`, or -1 where there is none.
int64_t LeafAt(const Shape& shape, const Dims& index) {
  const Shape* s = &shape;
  int64_t leaf = 0;
  for (int64_t i : index) {
    if (i < 0 || i >= static_cast<int64_t>(s->tuple_shapes().size())) return -1;
    for (int64_t k = 0; k < i; ++k) {
      std::vector<Shape> before;
      FlattenShape(s->tuple_shapes()[static_cast<size_t>(k)], &before);
      leaf += static_cast<int64_t>(before.size());
    }
    s = &s->tuple_shapes()[static_cast<size_t>(i)];
  }
  return s->is_tuple() ? -1 : leaf;
}

}  // namespace

std::unique_ptr<Device> OpenInterpreter(bool strict_checks) {
  return std::make_unique<Interpreter>(strict_checks);
}

absl::StatusOr<std::unique_ptr<Device>> OpenDevice(const DeviceOptions& options) {
  if (options.name == "eval") return OpenInterpreter(options.strict_checks);
  if (options.name == "cpu") return OpenCpu(options);
  if (options.name == "cuda") return OpenCuda(options);
  return InvalidArgument("'{}' is no device: expected cpu, eval or cuda", options.name);
}

absl::StatusOr<std::vector<Literal>> TakeAll(const std::function<absl::StatusOr<Literal>()>& take) {
  std::vector<Literal> all;
  while (true) {
    absl::StatusOr<Literal> next = take();
    if (absl::IsCancelled(next.status())) return all;
    if (!next.ok()) return next.status();
    all.push_back(*std::move(next));
  }
}

std::vector<int64_t> FeedbackOf(const HloModule& module, const std::vector<int64_t>& donate) {
  std::vector<Shape> shapes;
  for (const HloInstruction* p : module.entry()->parameters()) shapes.push_back(p->shape());
  Shape parameters = Shape::Tuple(shapes);
  const Shape& result = module.entry()->root()->shape();
  std::vector<int64_t> feedback;
  for (int64_t d : donate) {
    feedback.push_back(-1);
    for (const InputOutputAlias& a : module.aliases()) {
      Dims index{a.parameter};
      index.insert(index.end(), a.parameter_index.begin(), a.parameter_index.end());
      if (LeafAt(parameters, index) == d) feedback.back() = LeafAt(result, a.output_index);
    }
  }
  return feedback;
}

}  // namespace sinter::tools
