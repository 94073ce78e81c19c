#include "collectives/run.h"

#include "api/client_core.h"
#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "sinter/testing.h"

namespace sinter::testing {
namespace {

void AddLeaves(const Literal& x, std::vector<Literal>& leaves) {
  if (!x.shape().is_tuple()) return leaves.push_back(x);
  for (const Literal& e : x.tuple()) AddLeaves(e, leaves);
}

}  // namespace

absl::StatusOr<std::shared_ptr<HloModule>> ParseFor(const std::string& text,
                                                    collective::Grid grid) {
  ASSIGN_OR_RETURN(auto module, ParseHloText(text, "test.hlo"));
  module->set_replica_count(grid.replicas);
  module->set_partition_count(grid.partitions);
  RETURN_IF_ERROR(VerifyModule(*module));
  return std::shared_ptr<HloModule>(std::move(module));
}

absl::StatusOr<std::vector<Literal>> Interpreted(const HloModule& module,
                                                 const Arguments& arguments) {
  return EvaluateParticipants(module, arguments);
}

absl::StatusOr<std::vector<Literal>> OnDevices(Client& client, const HloModule& module,
                                               const Arguments& arguments, bool async,
                                               std::vector<int> assignment,
                                               CompileOptions options) {
  options.replicas = module.replica_count();
  options.partitions = module.partition_count();
  options.device_assignment = std::move(assignment);
  ASSIGN_OR_RETURN(Executable executable, client.core()->CompileModule(module, options));
  std::vector<std::vector<Buffer>> buffers;
  for (size_t n = 0; n < arguments.size(); ++n) {
    auto& own = buffers.emplace_back();
    for (const Literal& x : arguments[n]) {
      ASSIGN_OR_RETURN(Buffer b, client.BufferFromLiteral(x, executable.devices()[n]));
      own.push_back(std::move(b));
    }
  }
  ASSIGN_OR_RETURN(auto results, async ? executable.ExecuteOnDevicesAsync(buffers)
                                       : executable.ExecuteOnDevices(buffers));
  std::vector<Literal> all;
  for (const auto& own : results) {
    std::vector<Literal> leaves;
    for (const Buffer& b : own) {
      ASSIGN_OR_RETURN(Literal x, b.ToLiteral());
      leaves.push_back(std::move(x));
    }
    all.push_back(Literal::Tuple(std::move(leaves)));
  }
  return all;
}

absl::Status SameOnDevices(Client& client, const std::string& text, collective::Grid grid,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto module, ParseFor(text, grid));
  ASSIGN_OR_RETURN(std::vector<Literal> expected, Interpreted(*module, arguments));
  for (bool async : {false, true}) {
    ASSIGN_OR_RETURN(std::vector<Literal> given, OnDevices(client, *module, arguments, async));
    for (size_t n = 0; n < expected.size(); ++n) {
      std::vector<Literal> leaves;
      AddLeaves(expected[n], leaves);
      absl::Status same = ExpectEqual(given[n], Literal::Tuple(std::move(leaves)));
      if (!same.ok()) return Annotate(same, Format("participant {}, async {}", n, async));
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::testing
