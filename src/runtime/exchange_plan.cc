#include "runtime/exchange_plan.h"

#include <cstring>

#include "base/status.h"
#include "sinter/element_type.h"

namespace sinter::runtime {
namespace {

using program::Collective;
using CollectiveKind = Collective::Kind;

// Operands of kRaggedAllToAll.
enum : uint8_t { kInput, kOutput, kInputOffsets, kSendSizes, kOutputOffsets, kRecvSizes };

int64_t ReadIndex(const void* data, ElementType type, int64_t at) {
  auto read = [&](auto zero) {
    decltype(zero) value;
    std::memcpy(&value, static_cast<const char*>(data) + at * static_cast<int64_t>(sizeof value),
                sizeof value);
    return static_cast<int64_t>(value);
  };
  switch (type) {
    case ElementType::S8:
      return read(int8_t{});
    case ElementType::S16:
      return read(int16_t{});
    case ElementType::S64:
      return read(int64_t{});
    case ElementType::U8:
      return read(uint8_t{});
    case ElementType::U16:
      return read(uint16_t{});
    case ElementType::U32:
      return read(uint32_t{});
    case ElementType::U64:
      return read(int64_t{});
    default:
      return read(int32_t{});
  }
}

class Planner {
 public:
  Planner(const Collective& step, absl::Span<const int64_t> group,
          absl::FunctionRef<const void*(int64_t, size_t)> contents)
      : step_(step),
        group_(group),
        size_(static_cast<int64_t>(group.size())),
        contents_(contents) {}

  absl::StatusOr<ExchangePlan> Plan() {
    for (size_t k = 0; k < step_.arrays.size(); ++k) {
      const auto [rows, part] = step_.arrays[k];
      switch (step_.kind) {
        case CollectiveKind::kAllGather:
          for (int64_t to = 0; to < size_; ++to) {
            for (int64_t from = 0; from < size_; ++from)
              Add(Move{from, to, k, k, 0, from * part, part, part * size_, rows, part});
          }
          break;
        case CollectiveKind::kAllToAll:
          PlanAllToAll(k, rows, part);
          break;
        case CollectiveKind::kAllReduce:
          Add(Reduction{k, 0, part, rows, part, -1, 0});
          break;
        case CollectiveKind::kReduceScatter:
          for (int64_t to = 0; to < size_; ++to)
            Add(Reduction{k, to * part, part * size_, rows, part, to, 0});
          break;
        case CollectiveKind::kBroadcast:
        case CollectiveKind::kReduce: {
          ASSIGN_OR_RETURN(const int64_t root, Root(k));
          for (int64_t to = 0; to < size_; ++to) {
            if (step_.kind == CollectiveKind::kBroadcast) {
              Add(Move{root, to, k, k, 0, 0, 0, 0, 1, part});
            } else if (to == root) {
              Add(Reduction{k, 0, part, 1, part, root, 0});
            } else {
              Zero(to, k);
            }
          }
          break;
        }
        case CollectiveKind::kPermute:
          for (int64_t to = 0; to < size_; ++to) {
            const int64_t source =
                collective::SourceFor(step_.pairs, group_[static_cast<size_t>(to)]);
            if (source < 0) {
              Zero(to, k);
            } else {
              Add(Move{collective::IndexIn(group_, source), to, k, k, 0, 0, 0, 0, 1, part});
            }
          }
          break;
        case CollectiveKind::kRaggedAllToAll:
          RETURN_IF_ERROR(PlanRagged(rows, part));
          break;
        case CollectiveKind::kSend:
        case CollectiveKind::kReceive:
          return Internal("{} meets nobody", step_.operation.text);
      }
    }
    return std::move(plan_);
  }

 private:
  void Add(const Move& m) {
    if (m.bytes > 0 && m.rows > 0) plan_.moves.push_back(m);
  }
  void Add(const Reduction& r) {
    if (r.bytes > 0 && r.rows > 0) plan_.reductions.push_back(r);
  }
  void Zero(int64_t member, size_t k) {
    Add(Move{-1, member, 0, k, 0, 0, 0, 0, 1, step_.results[k].size});
  }
  int64_t Index(int64_t member, size_t operand, int64_t at) const {
    return ReadIndex(contents_(member, operand), step_.index_type, at);
  }

  void PlanAllToAll(size_t k, int64_t rows, int64_t part) {
    for (int64_t to = 0; to < size_; ++to) {
      if (step_.operands.size() > 1) {  // result k is what member k has for this one
        Add(Move{static_cast<int64_t>(k), to, static_cast<size_t>(to), k, 0, 0, 0, 0, 1, part});
        continue;
      }
      const bool splits = step_.results[0].size == part * size_ * rows;
      if (!splits) {  // a tuple of one
        Add(Move{to, to, k, k, 0, 0, 0, 0, 1, part});
        continue;
      }
      for (int64_t from = 0; from < size_; ++from)
        Add(Move{from, to, k, k, to * part, from * part, part * size_, part * size_, rows, part});
    }
  }

  absl::StatusOr<int64_t> Root(size_t k) const {
    if (!step_.has_roots) return 0;
    int64_t root = -1;
    for (int64_t m = 0; m < size_; ++m) {
      const int64_t stated = Index(m, step_.operands.size() - 1, static_cast<int64_t>(k));
      if (stated < 0 || stated >= size_) {
        return InvalidArgument("{}: root {} of operand {} is not in a group of {}",
                               step_.operation.text, stated, k, size_);
      }
      if (m == 0) root = stated;
      if (stated != root) {
        return InvalidArgument("{}: participants {} and {} state roots {} and {} for operand {}",
                               step_.operation.text, group_[0], group_[static_cast<size_t>(m)],
                               root, stated, k);
      }
    }
    return root;
  }

  absl::Status PlanRagged(int64_t result_rows, int64_t part) {
    const int64_t entries = step_.operands[kSendSizes].size / ByteWidth(step_.index_type),
                  each = entries / size_;
    const int64_t input_rows = part == 0 ? 0 : step_.operands[kInput].size / part;
    for (int64_t to = 0; to < size_; ++to)
      Add(Move{to, to, kOutput, 0, 0, 0, 0, 0, 1, step_.results[0].size});
    plan_.first_over = plan_.moves.size();
    for (int64_t to = 0; to < size_; ++to) {
      for (int64_t from = 0; from < size_; ++from) {
        for (int64_t at = to * each; at < (to + 1) * each; ++at) {
          const int64_t first = Index(from, kInputOffsets, at), rows = Index(from, kSendSizes, at),
                        place = Index(from, kOutputOffsets, at);
          if (part == 0) continue;
          if (rows < 0 || first < 0 || first > input_rows - rows || place < 0 ||
              place > result_rows - rows) {
            return InvalidArgument(
                "{}: participant {} sends {} rows from {} on of {} to row {} of {} of participant "
                "{}",
                step_.operation.text, group_[static_cast<size_t>(from)], rows, first, input_rows,
                place, result_rows, group_[static_cast<size_t>(to)]);
          }
          Add(Move{from, to, kInput, 0, first * part, place * part, 0, 0, 1, rows * part});
        }
      }
    }
    return absl::OkStatus();
  }

  const Collective& step_;
  const absl::Span<const int64_t> group_;
  const int64_t size_;
  const absl::FunctionRef<const void*(int64_t, size_t)> contents_;
  ExchangePlan plan_;
};

}  // namespace

std::vector<size_t> IndexOperands(const Collective& step) {
  if (step.kind == CollectiveKind::kRaggedAllToAll)
    return {kInputOffsets, kSendSizes, kOutputOffsets};
  if (step.has_roots) return {step.operands.size() - 1};
  return {};
}

absl::StatusOr<ExchangePlan> PlanExchange(
    const Collective& step, absl::Span<const int64_t> group,
    absl::FunctionRef<const void*(int64_t member, size_t operand)> contents) {
  return Planner(step, group, contents).Plan();
}

}  // namespace sinter::runtime
