// Exchanges with GPUs of other processes.
#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "network/encoding.h"
#include "runtime/cuda/nccl_transport.h"

namespace sinter::runtime::cuda {

// In the first round processes say that they have come, which communicator they have, what they
// could submit whole, and what all must know. Where they capture graphs, they then say whether they
// have; and where they have not the same communicator, one names a new one.
class NcclRemoteExchange final : public RemoteExchange {
 public:
  NcclRemoteExchange(const Exchange& exchange, const Spread& spread, NcclTransport& transport)
      : exchange_(exchange), spread_(spread), transport_(transport) {
    for (int p : spread_.processes) {
      if (p != spread_.self) others_.push_back(p);
    }
    std::sort(others_.begin(), others_.end());
    others_.erase(std::unique(others_.begin(), others_.end()), others_.end());
  }

  const std::vector<int>& others() const override { return others_; }
  bool CallAside(std::function<void()> call) override {
    const auto here = absl::c_find(spread_.processes, spread_.self) - spread_.processes.begin();
    transport_.remote_threads_.Call(transport_.IndexOf(exchange_, static_cast<size_t>(here)),
                                    std::move(call));
    return true;
  }
  bool done() const override { return done_; }

  absl::StatusOr<std::vector<network::Bytes>> Pack() override {
    network::Writer text;
    if (round_ == Round::kCapture) {
      text.Number(captured_);
    } else if (round_ == Round::kCome) {
      indices_.resize(exchange_.group.size());
      for (size_t m = 0; m < indices_.size(); ++m) {
        if (exchange_.pointers[m] == nullptr) continue;
        ASSIGN_OR_RETURN(indices_[m], transport_.ReadIndices(exchange_, m));
      }
      std::lock_guard<std::mutex> lock(transport_.cliques_->mutex);
      offer_ = transport_.OfferOf(exchange_);
      clique_ = transport_.cliques_->Find(exchange_.devices);
      text.Number(clique_ == nullptr ? 0 : clique_->token)
          .Number(offer_.fingerprint)
          .Number(offer_.capture)
          .Number(offer_.comes_again);
      for (const auto& own : indices_) {
        for (size_t k : IndexOperands(*exchange_.step)) {
          if (!own.empty()) text.Text({own[k].data(), own[k].size()});
        }
      }
    } else if (IsRoot()) {
      std::lock_guard<std::mutex> lock(transport_.cliques_->mutex);
      ASSIGN_OR_RETURN(id_, transport_.cliques_->NewId());
      text.Text({id_.bytes, sizeof id_.bytes});
    }
    const std::string own = text.Take();
    std::vector<network::Bytes> messages;
    for (size_t k = 0; k < others_.size(); ++k) {
      network::Bytes& bytes = messages.emplace_back(own.size());
      if (!own.empty()) std::memcpy(bytes.data(), own.data(), own.size());
    }
    return messages;
  }

  absl::StatusOr<std::unique_ptr<ExchangeWork>> Unpack(
      std::vector<network::Bytes> received) override {
    switch (round_) {
      case Round::kCome: {
        ASSIGN_OR_RETURN(const bool same, TakeArrivals(received));
        round_ = Round::kName;
        if (!same) return NcclTransport::Submitted();
        break;
      }
      case Round::kCapture: {
        ASSIGN_OR_RETURN(const bool captured, TakeCaptured(received));
        round_ = Round::kName;
        if (!captured) return NcclTransport::Submitted();
        break;
      }
      case Round::kName: {
        if (!IsRoot()) RETURN_IF_ERROR(TakeId(received));
        const auto lock = transport_.LockFor(exchange_);
        ASSIGN_OR_RETURN(clique_, transport_.cliques_->Make(transport_.Unmade(exchange_), id_,
                                                            NcclTransport::WatchedOf(exchange_)));
        break;
      }
    }
    const auto lock = transport_.LockFor(exchange_);
    if (captures_ && !captured_) {
      round_ = Round::kCapture;
      ASSIGN_OR_RETURN(captured_, transport_.MakeGraphs(exchange_, clique_));
      return NcclTransport::Submitted();
    }
    if (captured_ || offer_.capture != 0) {
      RETURN_IF_ERROR(transport_.LaunchGraphs(exchange_, clique_));
    } else {
      ASSIGN_OR_RETURN(const ExchangePlan plan, transport_.Plan(exchange_, indices_));
      RETURN_IF_ERROR(transport_.Submit(exchange_, plan, clique_));
    }
    done_ = true;
    return NcclTransport::Submitted();
  }

 private:
  bool IsRoot() const { return spread_.processes[0] == spread_.self; }
  absl::Status Malformed() const {
    return InvalidArgument("{}: a process has sent something else", exchange_.step->operation.text);
  }

  // Whether all have captured; else the communicator is given up.
  absl::StatusOr<bool> TakeCaptured(const std::vector<network::Bytes>& received) {
    bool all = captured_;
    for (const network::Bytes& bytes : received) {
      network::Reader reader({bytes.data(), bytes.size()});
      all &= reader.Number() != 0;
      if (!reader.ok()) return Malformed();
    }
    if (all) return true;
    std::lock_guard<std::mutex> lock(transport_.cliques_->mutex);
    if (captured_) transport_.cliques_->GiveUp(clique_);
    captures_ = captured_ = false;
    return false;
  }

  // Whether all have the same communicator; then also what they do with it.
  absl::StatusOr<bool> TakeArrivals(const std::vector<network::Bytes>& received) {
    bool same = clique_ != nullptr;
    bool alike = offer_.fingerprint != 0, comes_again = offer_.comes_again;
    uint64_t capture = offer_.capture;
    for (size_t k = 0; k < received.size(); ++k) {
      network::Reader reader({received[k].data(), received[k].size()});
      const uint64_t token = reader.Number();
      same = same && token == clique_->token;
      alike = reader.Number() == offer_.fingerprint && alike;
      if (reader.Number() != capture) capture = 0;
      comes_again = reader.Number() != 0 && comes_again;
      for (size_t m = 0; m < indices_.size(); ++m) {
        if (spread_.processes[m] != others_[k]) continue;
        indices_[m].resize(exchange_.step->operands.size());
        for (size_t operand : IndexOperands(*exchange_.step)) {
          const std::string text = reader.Text();
          if (!reader.ok() ||
              static_cast<int64_t>(text.size()) != exchange_.step->operands[operand].size)
            return Malformed();
          indices_[m][operand].assign(text.begin(), text.end());
        }
      }
      if (!reader.ok()) return Malformed();
    }
    offer_.capture = same && alike ? capture : 0;
    captures_ = same && alike && capture == 0 && comes_again;
    return same;
  }

  absl::Status TakeId(const std::vector<network::Bytes>& received) {
    const auto root = std::find(others_.begin(), others_.end(), spread_.processes[0]);
    const network::Bytes& bytes = received[static_cast<size_t>(root - others_.begin())];
    network::Reader reader({bytes.data(), bytes.size()});
    const std::string text = reader.Text();
    if (!reader.ok() || text.size() != sizeof id_.bytes) return Malformed();
    std::memcpy(id_.bytes, text.data(), text.size());
    return absl::OkStatus();
  }

  const Exchange exchange_;
  const Spread spread_;
  NcclTransport& transport_;
  std::vector<int> others_;
  std::vector<std::vector<std::vector<char>>> indices_;  // by member, by operand
  std::shared_ptr<Clique> clique_;
  NcclId id_;
  enum class Round : uint8_t { kCome, kCapture, kName } round_ = Round::kCome;
  NcclTransport::Offer offer_;  // of this process; its graphs then as agreed
  bool captures_ = false, captured_ = false;
  bool done_ = false;
};

absl::StatusOr<std::unique_ptr<RemoteExchange>> NcclTransport::BeginRemote(const Exchange& exchange,
                                                                           const Spread& spread) {
  return std::make_unique<NcclRemoteExchange>(exchange, spread, *this);
}

}  // namespace sinter::runtime::cuda
