// Collectives and transfers.
#include <algorithm>

#include "base/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/module_printer.h"
#include "frontend/stablehlo_text/print_preserved_attributes.h"
#include "frontend/stablehlo_text/print_text.h"
#include "types/leaves.h"

namespace sinter::stablehlo::print {
namespace {

// Shorter groups are filled up with -1.
// `size` is the least that a row has.
std::string GroupsText(const Groups& groups, size_t size = 0) {
  for (const Dims& group : groups) size = std::max(size, group.size());
  std::vector<std::string> rows;
  for (Dims group : groups) {
    group.resize(size, -1);
    rows.push_back(ListText(group));
  }
  std::string list = rows.empty() ? "" : Format("[{}]", Join(rows, ", "));
  return Format("dense<{}> : tensor<{}x{}xi64>", list, groups.size(), size);
}

// Type 1 is from device to device; to the host it is 2, from the host 3.
std::string Channel(const std::optional<int64_t>& id, int type) {
  return Format("channel_handle = #stablehlo.channel_handle<handle = {}, type = {}>",
                id.value_or(0), type);
}

std::string Properties(const CollectiveAttrs& a) {
  std::string out = Format("replica_groups = {}", GroupsText(a.replica_groups));
  if (a.channel_id) out += ", " + Channel(a.channel_id, 1);
  if (a.use_global_device_ids) out += ", use_global_device_ids";
  if (a.has_dynamic_root) out += ", has_dynamic_root";
  return out;
}

std::string TransferProperties(const HloInstruction& transfer, int host_type) {
  const auto& a = transfer.attrs<TransferAttrs>();
  std::string out =
      Format("{}, is_host_transfer = {}", Channel(a.channel_id, a.is_host_transfer ? host_type : 1),
             a.is_host_transfer);
  if (const std::optional<Groups> pairs = FindPairs(transfer))
    out += Format(", source_target_pairs = {}", GroupsText(*pairs, 2));
  return out;
}

// An operation with results for the data, if it is no tuple else its leaves, and a token.
PrintedValue BeginDataAndToken(ModulePrinter& p, const Shape& pair,
                               std::vector<PrintedValue>* results) {
  *results = p.Begin(Leaves(pair));
  size_t next = 0;
  return ModulePrinter::FromLeaves(pair, *results, &next);
}

// The operands of an operation that takes data and a token.
std::vector<PrintedValue> DataAndToken(ModulePrinter& p, const HloInstruction& i) {
  std::vector<PrintedValue> operands = p.Leaves(p.Get(i.operand(0)));
  operands.push_back(p.Get(i.operand(1)));
  return operands;
}

absl::Status CheckOneOperand(const HloInstruction& i) {
  if (i.operands().size() == 1) return absl::OkStatus();
  return Unimplemented("{} of several operands has no form in StableHLO ({})", Name(i.op()),
                       i.name());
}

// StableHLO permutes whole arrays.
absl::Status CheckSlices(const HloInstruction& i) {
  if (i.attrs<CollectivePermuteAttrs>().slice_sizes.empty()) return absl::OkStatus();
  return Unimplemented("{} of slices has no form in StableHLO ({})", Name(i.op()), i.name());
}

absl::Status CheckOnlyUsedBy(HloOpcode done, const HloInstruction& i) {
  for (const HloInstruction* user : i.users()) {
    if (user->op() == done) continue;
    return Unimplemented("{} has no form in StableHLO where {} reads it ({})", Name(i.op()),
                         Name(user->op()), i.name());
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AllGather(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<CollectiveAttrs>();
  return p.Generic(i, "stablehlo.all_gather", p.Operands(i),
                   Format("all_gather_dim = {} : i64, {}", a.dimensions[0], Properties(a)));
}

absl::Status AllReduce(ModulePrinter& p, const HloInstruction& i) {
  return p.Generic(i, "stablehlo.all_reduce", p.Operands(i),
                   Properties(i.attrs<CollectiveAttrs>()));
}

absl::Status ReduceScatter(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<CollectiveAttrs>();
  RETURN_IF_ERROR(CheckOneOperand(i));
  return p.Generic(i, "stablehlo.reduce_scatter", p.Operands(i),
                   Format("scatter_dimension = {} : i64, {}", a.dimensions[0], Properties(a)));
}

absl::Status AllToAll(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<CollectiveAttrs>();
  if (a.dimensions.empty()) {
    return Unimplemented("all-to-all without a dimension has no form in StableHLO ({})", i.name());
  }
  const size_t count = a.replica_groups.empty() ? 1 : a.replica_groups[0].size();
  return p.Generic(i, "stablehlo.all_to_all", p.Operands(i),
                   Format("split_dimension = {0} : i64, concat_dimension = {0} : i64, "
                          "split_count = {1} : i64, {2}",
                          a.dimensions[0], count, Properties(a)));
}

absl::Status CollectiveBroadcast(ModulePrinter& p, const HloInstruction& i) {
  return p.Generic(i, "stablehlo.collective_broadcast", p.Operands(i),
                   Properties(i.attrs<CollectiveAttrs>()));
}

absl::Status CollectivePermute(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<CollectivePermuteAttrs>();
  RETURN_IF_ERROR(CheckOneOperand(i));
  RETURN_IF_ERROR(CheckSlices(i));
  std::string properties = Format("source_target_pairs = {}", GroupsText(a.source_target_pairs, 2));
  if (a.channel_id) properties += ", " + Channel(a.channel_id, 1);
  return p.Generic(i, "stablehlo.collective_permute", p.Operands(i), properties);
}

absl::Status CollectiveReduce(ModulePrinter& p, const HloInstruction& i) {
  return p.Generic(i, "stablehlo.collective_reduce", p.Operands(i),
                   Properties(i.attrs<CollectiveAttrs>()));
}

absl::Status Infeed(ModulePrinter& p, const HloInstruction& i) {
  std::vector<PrintedValue> operands = p.Operands(i), results;
  PrintedValue value = BeginDataAndToken(p, i.shape(), &results);
  p.out() +=
      Format("\"stablehlo.infeed\"({}) <{{infeed_config = {}}}> : {}", p.Names(operands),
             QuotedText(i.attrs<InfeedAttrs>().infeed_config), p.Signature(operands, results));
  p.End(i);
  p.Set(&i, std::move(value));
  return absl::OkStatus();
}

absl::Status Outfeed(ModulePrinter& p, const HloInstruction& i) {
  return p.Generic(
      i, "stablehlo.outfeed", DataAndToken(p, i),
      Format("outfeed_config = {}", QuotedText(i.attrs<OutfeedAttrs>().outfeed_config)));
}

// StableHLO has one operation for the transfer and its end: it is printed at the end.
absl::Status Recv(ModulePrinter& p, const HloInstruction& i) {
  RETURN_IF_ERROR(CheckOnlyUsedBy(HloOpcode::RecvDone, i));
  p.Set(&i, p.Get(i.operand(0)));
  return absl::OkStatus();
}

absl::Status RecvDone(ModulePrinter& p, const HloInstruction& i) {
  if (i.operand(0)->op() != HloOpcode::Recv) {
    return Unimplemented("recv-done of what is no recv has no form in StableHLO ({})", i.name());
  }
  std::vector<PrintedValue> operands{p.Get(i.operand(0))}, results;
  PrintedValue value = BeginDataAndToken(p, i.shape(), &results);
  p.out() += Format("\"stablehlo.recv\"({}) <{{{}}}> : {}", p.Names(operands),
                    TransferProperties(*i.operand(0), 3), p.Signature(operands, results));
  p.End(i);
  p.Set(&i, std::move(value));
  return absl::OkStatus();
}

absl::Status Send(ModulePrinter& p, const HloInstruction& i) {
  RETURN_IF_ERROR(CheckOnlyUsedBy(HloOpcode::SendDone, i));
  PrintedValue bundle{&i.shape(), "", DataAndToken(p, i), true};
  p.Set(&i, std::move(bundle));
  return absl::OkStatus();
}

absl::Status SendDone(ModulePrinter& p, const HloInstruction& i) {
  if (i.operand(0)->op() != HloOpcode::Send) {
    return Unimplemented("send-done of what is no send has no form in StableHLO ({})", i.name());
  }
  return p.Generic(i, "stablehlo.send", p.Get(i.operand(0)).elements,
                   TransferProperties(*i.operand(0), 2));
}

}  // namespace sinter::stablehlo::print
