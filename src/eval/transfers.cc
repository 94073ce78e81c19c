// Transfers between the program and its host.
#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {
namespace {

absl::StatusOr<TransferQueues*> Queues(const Input& in) {
  if (TransferQueues* queues = in.evaluator.options().transfers) return queues;
  return Unimplemented("{} '{}': there is no queue to transfer with", Name(in.instruction.op()),
                       in.instruction.name());
}

}  // namespace

absl::StatusOr<Value> Infeed(const Input& in) {
  ASSIGN_OR_RETURN(TransferQueues * queues, Queues(in));
  const std::vector<Shape>& shapes = in.shape().tuple_shapes();
  ASSIGN_OR_RETURN(Literal data, queues->TakeForInfeed(shapes[0]));
  return Value(std::vector<Value>{Value(std::move(data)), Value(Literal(shapes[1]))});
}

absl::StatusOr<Value> Outfeed(const Input& in) {
  ASSIGN_OR_RETURN(TransferQueues * queues, Queues(in));
  RETURN_IF_ERROR(queues->from_outfeed().Put(in.operands[0].ToLiteral()));
  return Value(Literal(in.shape()));
}

}  // namespace sinter::eval
