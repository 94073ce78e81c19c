// Sends and receives of a gang.
#include <utility>

#include "base/status.h"
#include "runtime/gang.h"

namespace sinter::runtime {

// What is sent is kept until it is received: a sender waits for nobody.
bool Gang::Transfer(int64_t number) {
  Member& m = At(number);
  const program::Collective& step = *m.at.step;
  if (step.kind == program::Collective::Kind::kSend) {
    absl::Status sent;
    for (const auto& pair : step.pairs) {
      if (pair[0] == number && sent.ok()) sent = Send(m, pair[1]);
    }
    if (!sent.ok()) Fail(number, sent);
    return sent.ok();
  }
  const int64_t source = collective::SourceFor(step.pairs, number);
  if (source < 0) {
    absl::Status zeroed;
    for (size_t k = 0; k < step.results.size(); ++k)
      zeroed.Update(DeviceOf(m).Zero(m.at.pointers[k], step.results[k].size));
    if (zeroed.ok()) return true;
    Fail(number, zeroed);
    return false;
  }
  auto queue = sent_.find({step.channel, source, number});
  if (queue == sent_.end() || queue->second.empty()) {
    if (absl::Status s = CheckSource(source); !s.ok()) {
      FailAll(number, Annotate(s, executable_->program_.name));
      return false;
    }
    rendezvous_.AwaitSender(number, m.at.step->operation, source);
    Wait(number, nullptr);
    return false;
  }
  if (absl::Status s = Receive(m, source); !s.ok()) {
    FailAll(number, s);
    return false;
  }
  return true;
}

// To another device with memory of its own: straight into its memory, in the order of its work.
absl::Status Gang::Send(Member& from, int64_t target) {
  const program::Collective& step = *from.at.step;
  Device& device = DeviceOf(from);
  const bool direct = IsHere(target) && !device.shares_host_memory();
  Sent sent;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    const int64_t bytes = step.operands[k].size;
    sent.sizes.push_back(bytes);
    if (direct) {
      Device& to = DeviceOf(At(target));
      ASSIGN_OR_RETURN(StorageRef array, Storage::Allocate(to.pool(), bytes));
      RETURN_IF_ERROR(to.CopyFromDevice(array->data(), device, from.at.pointers[k], bytes));
      sent.arrays.push_back(std::move(array));
    } else {
      std::vector<char>& array = sent.bytes.emplace_back(static_cast<size_t>(bytes));
      RETURN_IF_ERROR(device.CopyToHost(array.data(), from.at.pointers[k], bytes));
    }
  }
  if (IsHere(target)) {
    Deliver({step.channel, from.self.number, target}, std::move(sent));
  } else {
    SendRemote({step.channel, from.self.number, target}, sent.bytes);
  }
  return absl::OkStatus();
}

void Gang::Deliver(const Channel& channel, Sent sent) {
  const auto [number, source, target] = channel;
  sent_[channel].push_back(std::move(sent));
  Member& to = At(target);
  const program::Collective* theirs = to.at.step;
  if (to.state != State::kWaiting || theirs->kind != program::Collective::Kind::kReceive ||
      theirs->channel != number || collective::SourceFor(theirs->pairs, target) != source)
    return;
  rendezvous_.Received(target);
  if (absl::Status s = Receive(to, source); !s.ok()) return Fail(-1, s);
  Ready(target);
}

absl::Status Gang::Receive(Member& to, int64_t source) {
  const program::Collective& step = *to.at.step;
  auto& queue = sent_[{step.channel, source, to.self.number}];
  const Sent sent = std::move(queue.front());
  queue.pop_front();
  bool fits = sent.sizes.size() == step.results.size();
  for (size_t k = 0; fits && k < sent.sizes.size(); ++k)
    fits = sent.sizes[k] == step.results[k].size;
  if (!fits) {
    return InvalidArgument("{}: {} is sent arrays of other sizes by {}", executable_->program_.name,
                           step.operation.text, collective::NameOf(source, grid_));
  }
  Device& device = DeviceOf(to);
  for (size_t k = 0; k < sent.sizes.size(); ++k) {
    void* result = to.at.pointers[k];
    RETURN_IF_ERROR(sent.arrays.empty()
                        ? device.CopyFromHost(result, sent.bytes[k].data(), sent.sizes[k])
                        : device.Copy(result, sent.arrays[k]->data(), sent.sizes[k]));
  }
  return absl::OkStatus();
}

}  // namespace sinter::runtime
