#include "runtime/cpu/memory_transport.h"

#include <utility>

#include "base/status.h"
#include "runtime/cpu/exchange_work.h"
#include "runtime/cpu/remote_exchange.h"
#include "runtime/exchange_plan.h"

namespace sinter::runtime::cpu {
namespace {

using program::Collective;

class MemoryTransport final : public Transport {
 public:
  explicit MemoryTransport(FpMode mode) : mode_(mode) {}

  absl::StatusOr<std::unique_ptr<ExchangeWork>> Begin(const Exchange& exchange) override {
    const Collective& step = *exchange.step;
    RETURN_IF_ERROR(CheckTiles(step));
    auto operand = [&](int64_t member, size_t k) {
      return static_cast<char*>(exchange.pointers[static_cast<size_t>(member)][k]);
    };
    auto result = [&](int64_t member, size_t k) {
      return operand(member, step.operands.size() + k);
    };
    std::vector<Copy> copies;
    std::vector<Sum> sums;
    if (exchange.group.empty()) {
      for (size_t k = 0; k < step.results.size(); ++k)
        copies.push_back(
            {result(0, k), nullptr, 0, 0, step.results[k].size > 0 ? 1 : 0, step.results[k].size});
      return std::make_unique<CpuExchangeWork>(step, exchange.reducer, mode_, std::move(copies),
                                               std::move(sums), /*in_order=*/true);
    }
    ASSIGN_OR_RETURN(const ExchangePlan plan, PlanExchange(step, exchange.group, operand));
    for (const Move& m : plan.moves) {
      copies.push_back({result(m.to, m.result) + m.to_offset,
                        m.from < 0 ? nullptr : operand(m.from, m.operand) + m.from_offset,
                        m.to_stride, m.from_stride, m.rows, m.bytes});
    }
    for (const Reduction& r : plan.reductions) {
      Sum& sum = sums.emplace_back();
      sum.rows = r.rows;
      sum.bytes = r.bytes;
      for (int64_t m = 0; m < static_cast<int64_t>(exchange.group.size()); ++m) {
        sum.sources.push_back({operand(m, r.operand) + r.offset, r.stride});
        if (r.target < 0 || r.target == m) sum.destinations.push_back(result(m, r.operand) + r.to);
      }
    }
    return std::make_unique<CpuExchangeWork>(step, exchange.reducer, mode_, std::move(copies),
                                             std::move(sums), plan.first_over > 0);
  }

  absl::StatusOr<std::unique_ptr<RemoteExchange>> BeginRemote(const Exchange& exchange,
                                                              const Spread& spread) override {
    RETURN_IF_ERROR(CheckTiles(*exchange.step));
    return MakeRemoteExchange(exchange, spread, mode_);
  }

 private:
  static absl::Status CheckTiles(const Collective& step) {
    RETURN_INTERNAL_IF(step.tile_bytes > kMostTileBytes, "{}: tiles of {} bytes",
                       step.operation.text, step.tile_bytes);
    return absl::OkStatus();
  }

  const FpMode mode_;
};

}  // namespace

std::shared_ptr<Transport> MakeMemoryTransport(FpMode mode) {
  return std::make_shared<MemoryTransport>(mode);
}

}  // namespace sinter::runtime::cpu
