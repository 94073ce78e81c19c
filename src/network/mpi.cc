#include "network/mpi.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/status.h"
#include "network/mpi_library.h"

namespace sinter::network {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Handle = MpiLibrary::Handle;

constexpr int kTag = 1, kBodyTag = 2;
// A body of fewer bytes goes with its header; a larger one behind it, in packets of so many.
constexpr size_t kInline = 32 << 10;
constexpr size_t kPacket = size_t{1} << 30;
// MPI keeps order. Should one not come, or come twice, what that leads to is hard to understand: so
// messages are numbered, and no more than these may come before one that is late.
constexpr size_t kMostEarly = 1024;
constexpr auto kMpiGoodbye = 10s;
// MPI_Finalize waits for all processes. If the last goodbye was in vain, one of them may be dead.
constexpr auto kFinalize = 600s, kFinalizeInDoubt = 30s;
// MPI wakes nobody. While somebody waits it is asked again and again, at first at once, then ever
// less often.
constexpr int kAtOnce = 200;
constexpr std::chrono::microseconds kFirstPause{20}, kLastPause{1000};

// What this has initialized is finalized with the process, if all have parted in good order.
std::atomic<const MpiLibrary*> own_library{nullptr};
std::atomic<bool> has_lost{false}, in_doubt{false};
// Threads that call MPI, and those of them that will soon come to their end: their network has been
// destroyed, or is being destroyed by a thread that may be any.
std::atomic<int> working_threads{0}, leaving_threads{0};

// Whether so many have become none in time.
bool WaitForNone(const std::atomic<int>& threads, Clock::time_point until) {
  while (threads != 0) {
    if (Clock::now() > until) return false;
    std::this_thread::sleep_for(kLastPause);
  }
  return true;
}

void FinalizeOwn() {
  const MpiLibrary* mpi = own_library.load();
  if (mpi == nullptr || has_lost.load()) return;
  int done = 0;
  Handle barrier = 0;
  MpiLibrary::Status status;
  if (mpi->finalized(&done) != 0 || done != 0 || mpi->ibarrier(mpi->world, &barrier) != 0) return;
  // A thread that its own last call has detached may still say goodbye, and find itself in doubt.
  const auto begin = Clock::now();
  while (!has_lost && mpi->test(&barrier, &done, &status) == 0) {
    if (done != 0) {
      // That of a network that is never destroyed goes on.
      if (WaitForNone(working_threads, Clock::now() + kMpiGoodbye)) mpi->finalize();
      return;
    }
    if (Clock::now() > begin + (in_doubt ? kFinalizeInDoubt : kFinalize)) return;
    std::this_thread::sleep_for(kLastPause);
  }
}

absl::Status Initialize(const std::shared_ptr<const MpiLibrary>& mpi) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  int flag = 0, level = 0;
  if (mpi->finalized(&flag) == 0 && flag != 0)
    return FailedPrecondition("MPI has been finalized; it cannot be used any more");
  if (mpi->initialized(&flag) != 0) return Unavailable("MPI_Initialized fails");
  if (flag != 0) {
    mpi->query_thread(&level);
  } else {
    const int code = mpi->init_thread(nullptr, nullptr, MpiLibrary::kThreadMultiple, &level);
    if (code != 0) return Unavailable("MPI_Init_thread fails: {}", mpi->ErrorText(code));
    // The library stays loaded, so does what is known of it.
    own_library = new MpiLibrary(*mpi);
    std::atexit(FinalizeOwn);
  }
  if (level >= MpiLibrary::kThreadMultiple) return absl::OkStatus();
  return FailedPrecondition(
      "MPI has been initialized with thread level {}; messages are exchanged by a thread beside "
      "the "
      "host's, so that MPI_THREAD_MULTIPLE (3) is needed (MPI_Init_thread)",
      level);
}

// The last that one process sends to another. A library may give a communicator that is freed to
// the next that is made, with what is still on its way: so nothing may be.
constexpr uint64_t kLastMessage = UINT64_MAX;

struct Head {
  uint64_t number = 0;  // of the messages from one process to another, or kLastMessage
  uint64_t header_bytes = 0, body_bytes = 0;
};

struct Packet {
  std::string head;  // a Head, the header, and a small body
  Bytes body;        // what goes behind it
};

struct Sending {
  int to = 0;
  Packet packet;
  std::list<Handle> requests;
};

struct Source {
  std::string head;
  uint64_t number = 0, next = 0;  // of `message`; of the one that is handed on next
  Message message;
  std::map<uint64_t, Message> early;  // that have come before it
  size_t have = 0;                    // of the body
  bool in_body = false, receiving = false, parted = false;
  Handle request = 0;
  size_t size = 0;  // of what is being received
  absl::Status lost;
};

class MpiMessages {
 public:
  MpiMessages(std::shared_ptr<const MpiLibrary> mpi, Handle comm, int id, int count)
      : mpi_(std::move(mpi)),
        comm_(comm),
        id_(id),
        sources_(static_cast<size_t>(count)),
        posted_(static_cast<size_t>(count)) {}

  void Open(Receiver* receiver) { receiver_ = receiver; }
  absl::Status Post(int to, Message message);
  void AddWaiting(int change);
  void Work();
  void Leave();
  // Nothing of MPI is called any more.
  void Stop() {
    --leaving_threads;
    --working_threads;
  }
  // By the thread itself: nobody will join it.
  void Abandon() {
    abandoned_ = true;
    ++leaving_threads;
  }

 private:
  void Start(std::deque<Sending> queue);
  void SayGoodbye();
  bool HaveParted() const;
  bool TestSends();
  bool Receive(int from);
  void Take(int from);
  void HandOn(int from);
  void Lose(int process, int code);
  void Part(bool in_order);

  const std::shared_ptr<const MpiLibrary> mpi_;
  Handle comm_;
  const int id_;
  Receiver* receiver_ = nullptr;
  // Of the thread.
  bool abandoned_ = false;
  std::vector<Source> sources_;
  std::list<Sending> sending_;
  // Of everyone.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Sending> queue_;
  std::vector<uint64_t> posted_;  // by process: messages
  std::vector<absl::Status> lost_;
  int waiting_ = 0;
  bool leaves_ = false;
};

absl::Status MpiMessages::Post(int to, Message message) {
  Sending s;
  s.to = to;
  Head head{0, message.header.size(), message.body.size()};
  s.packet.head.assign(sizeof head, '\0');
  s.packet.head += message.header;
  if (message.body.size() <= kInline) {
    if (message.body.size() > 0) s.packet.head.append(message.body.data(), message.body.size());
  } else {
    s.packet.body = std::move(message.body);
  }
  std::lock_guard<std::mutex> lock(mutex_);
  if (!lost_.empty()) RETURN_IF_ERROR(lost_[static_cast<size_t>(to)]);
  head.number = posted_[static_cast<size_t>(to)]++;
  std::memcpy(s.packet.head.data(), &head, sizeof head);
  queue_.push_back(std::move(s));
  changed_.notify_all();
  return absl::OkStatus();
}

void MpiMessages::AddWaiting(int change) {
  std::lock_guard<std::mutex> lock(mutex_);
  waiting_ += change;
  changed_.notify_all();
}

void MpiMessages::Leave() {
  std::lock_guard<std::mutex> lock(mutex_);
  leaves_ = true;
  ++leaving_threads;
  changed_.notify_all();
}

// Until it leaves: then all is sent, and all that others send has come.
void MpiMessages::Work() {
  int idle = 0;
  bool leaves = false, has_said_goodbye = false;
  Clock::time_point until;
  while (true) {
    std::deque<Sending> queue;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      const bool asks = waiting_ > 0 || !sending_.empty() || leaves_ || leaves;
      auto has_news = [&] { return !queue_.empty() || (leaves_ && !leaves); };
      if (!asks) {
        changed_.wait(lock, [&] { return has_news() || waiting_ > 0; });
        idle = 0;
      } else if (idle > kAtOnce) {
        const auto pause = std::min(kLastPause, kFirstPause * (1 + (idle - kAtOnce) / 16));
        changed_.wait_for(lock, pause, has_news);
      }
      queue.swap(queue_);
      if (leaves_ && !leaves) {
        leaves = true;
        until = Clock::now() + kMpiGoodbye;
        idle = 0;
      }
    }
    bool moved = !queue.empty();
    Start(std::move(queue));
    moved = TestSends() || moved;
    for (int n = 0; n < static_cast<int>(sources_.size()); ++n) {
      while (n != id_ && Receive(n)) moved = true;
    }
    idle = moved ? 0 : idle + 1;
    if (idle > 0 && idle <= kAtOnce) std::this_thread::yield();
    if (!leaves && !abandoned_) continue;
    if (!leaves) {
      leaves = true;
      until = Clock::now() + kMpiGoodbye;
      continue;  // what has been posted meanwhile goes first
    }
    if (!std::exchange(has_said_goodbye, true)) SayGoodbye();
    if (HaveParted() && sending_.empty()) return Part(true);
    const bool alone =
        std::any_of(sources_.begin(), sources_.end(), [](const Source& s) { return !s.lost.ok(); });
    if (alone || Clock::now() > until) return Part(false);
  }
}

void MpiMessages::SayGoodbye() {
  std::deque<Sending> queue;
  const Head head{kLastMessage};
  for (int n = 0; n < static_cast<int>(sources_.size()); ++n) {
    if (n == id_) continue;
    queue.emplace_back().to = n;
    queue.back().packet.head.assign(reinterpret_cast<const char*>(&head), sizeof head);
  }
  Start(std::move(queue));
}

bool MpiMessages::HaveParted() const {
  for (int n = 0; n < static_cast<int>(sources_.size()); ++n) {
    if (n != id_ && !sources_[static_cast<size_t>(n)].parted) return false;
  }
  return true;
}

void MpiMessages::Part(bool in_order) {
  if (!in_order) in_doubt = true;
  if (in_order) mpi_->comm_free(&comm_);
}

void MpiMessages::Start(std::deque<Sending> queue) {
  for (Sending& q : queue) {
    sending_.push_back(std::move(q));
    Sending& s = sending_.back();
    auto send = [&](const char* data, size_t size, int tag) {
      const int code = mpi_->isend(data, static_cast<int>(size), mpi_->byte, s.to, tag, comm_,
                                   &s.requests.emplace_back(0));
      if (code == 0) return true;
      s.requests.pop_back();
      Lose(s.to, code);
      return false;
    };
    if (!send(s.packet.head.data(), s.packet.head.size(), kTag)) continue;
    for (size_t at = 0; at < s.packet.body.size(); at += kPacket) {
      const size_t size = std::min(kPacket, s.packet.body.size() - at);
      if (!send(s.packet.body.data() + at, size, kBodyTag)) break;
    }
  }
}

bool MpiMessages::TestSends() {
  bool moved = false;
  for (auto s = sending_.begin(); s != sending_.end();) {
    for (auto r = s->requests.begin(); r != s->requests.end();) {
      int done = 0;
      MpiLibrary::Status status;
      const int code = mpi_->test(&*r, &done, &status);
      if (code != 0) Lose(s->to, code);
      if (code != 0 || done != 0) {
        r = s->requests.erase(r);
        moved = true;
      } else {
        ++r;
      }
    }
    s = s->requests.empty() ? sending_.erase(s) : std::next(s);
  }
  return moved;
}

// Whether something has come.
bool MpiMessages::Receive(int from) {
  Source& s = sources_[static_cast<size_t>(from)];
  if (!s.lost.ok() || s.parted) return false;
  MpiLibrary::Status status;
  int flag = 0;
  if (!s.receiving) {
    Handle message = 0;
    int code = mpi_->improbe(from, s.in_body ? kBodyTag : kTag, comm_, &flag, &message, &status);
    if (code == 0 && flag == 0) return false;
    int count = 0;
    if (code == 0) code = mpi_->get_count(&status, mpi_->byte, &count);
    s.size = static_cast<size_t>(count);
    if (s.in_body && s.size > s.message.body.size() - s.have) code = -1;
    if (code == 0) {
      if (!s.in_body) s.head.resize(s.size);
      char* to = s.in_body ? s.message.body.data() + s.have : s.head.data();
      s.request = 0;
      code = mpi_->imrecv(to, count, mpi_->byte, &message, &s.request);
    }
    if (code != 0) {
      Lose(from, code);
      return false;
    }
    s.receiving = true;
  }
  const int code = mpi_->test(&s.request, &flag, &status);
  if (code != 0) {
    Lose(from, code);
    return false;
  }
  if (flag == 0) return false;
  s.receiving = false;
  Take(from);
  return true;
}

void MpiMessages::Take(int from) {
  Source& s = sources_[static_cast<size_t>(from)];
  if (s.in_body) {
    s.have += s.size;
  } else {
    Head head;
    if (s.head.size() < sizeof head) return Lose(from, -1);
    std::memcpy(&head, s.head.data(), sizeof head);
    const size_t rest = s.head.size() - sizeof head;
    const bool is_inline = head.body_bytes <= kInline;
    if (head.header_bytes > rest || (is_inline && head.body_bytes != rest - head.header_bytes))
      return Lose(from, -1);
    s.number = head.number;
    s.parted = head.number == kLastMessage;
    if (s.parted) return;
    try {
      s.message.header = s.head.substr(sizeof head, head.header_bytes);
      s.message.body = head.body_bytes > 0 ? Bytes(head.body_bytes) : Bytes();
    } catch (const std::bad_alloc&) {
      return Lose(from, -1);
    }
    s.have = 0;
    if (is_inline && head.body_bytes > 0) {
      std::memcpy(s.message.body.data(), s.head.data() + sizeof head + head.header_bytes,
                  head.body_bytes);
      s.have = head.body_bytes;
    }
  }
  s.in_body = s.have < s.message.body.size();
  if (!s.in_body) HandOn(from);
}

// The message that has come, and those that have waited for it.
void MpiMessages::HandOn(int from) {
  Source& s = sources_[static_cast<size_t>(from)];
  if (abandoned_) return;  // nobody wants it any more
  if (s.number < s.next || s.early.size() == kMostEarly) return Lose(from, -1);
  try {
    if (!s.early.emplace(s.number, std::exchange(s.message, {})).second) return Lose(from, -1);
  } catch (const std::bad_alloc&) {
    return Lose(from, -1);
  }
  while (!abandoned_ && !s.early.empty() && s.early.begin()->first == s.next) {
    auto first = s.early.extract(s.early.begin());
    ++s.next;
    receiver_->Received(from, std::move(first.mapped()));
  }
}

// `code` of MPI's, or -1: what it sends makes no sense, or there is no room for it.
void MpiMessages::Lose(int process, int code) {
  Source& s = sources_[static_cast<size_t>(process)];
  if (!s.lost.ok()) return;
  s.lost = Unavailable("process {} is lost: {}", process,
                       code == -1 ? "its messages cannot be taken" : mpi_->ErrorText(code));
  has_lost = true;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    lost_.resize(sources_.size());
    lost_[static_cast<size_t>(process)] = s.lost;
  }
  if (!abandoned_) receiver_->Lost(process, s.lost, /*closed=*/false);
}

class MpiNetwork final : public Network {
 public:
  MpiNetwork(std::shared_ptr<const MpiLibrary> mpi, Handle comm, int id, int count)
      : Network(id, count),
        messages_(std::make_shared<MpiMessages>(std::move(mpi), comm, id, count)) {}
  ~MpiNetwork() override {
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) {  // its last call has destroyed this
      messages_->Abandon();
      thread_.detach();
      return;
    }
    messages_->Leave();
    thread_.join();
  }
  absl::Status Start(Receiver* receiver) override {
    messages_->Open(receiver);
    ++working_threads;
    try {
      thread_ = std::thread([messages = messages_] {
        messages->Work();
        messages->Stop();
      });
    } catch (const std::system_error& e) {
      --working_threads;
      return ResourceExhausted("the system refuses a thread: {}", e.what());
    }
    return absl::OkStatus();
  }
  absl::Status Send(int to, Message message) override {
    return messages_->Post(to, std::move(message));
  }
  void AddWaiting(int change) override { messages_->AddWaiting(change); }

 private:
  const std::shared_ptr<MpiMessages> messages_;
  std::thread thread_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Network>> ConnectMpi(const MpiOptions& o) {
  ASSIGN_OR_RETURN(std::shared_ptr<const MpiLibrary> mpi, FindMpi(o.library));
  return ConnectMpi(o, std::move(mpi));
}

absl::StatusOr<std::unique_ptr<Network>> ConnectMpi(const MpiOptions& o,
                                                    std::shared_ptr<const MpiLibrary> mpi) {
  RETURN_IF_ERROR(Initialize(mpi));
  const Clock::time_point until =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(o.connect_timeout, 1e6)));
  // While others say goodbye their communicators may be in use.
  WaitForNone(leaving_threads, std::min(until, Clock::now() + kMpiGoodbye));
  const Handle given = mpi->CommunicatorAt(o.communicator);
  Handle comm = 0, request = 0;
  int id = 0, count = 0, flag = 0;
  auto check = [&](int code, std::string_view function) -> absl::Status {
    if (code == 0) return absl::OkStatus();
    return Unavailable("{} of {} fails: {}", function, mpi->name, mpi->ErrorText(code));
  };
  RETURN_IF_ERROR(check(mpi->comm_rank(given, &id), "MPI_Comm_rank"));
  RETURN_IF_ERROR(check(mpi->comm_size(given, &count), "MPI_Comm_size"));
  RETURN_IF_ERROR(check(mpi->comm_idup(given, &comm, &request), "MPI_Comm_idup"));
  MpiLibrary::Status status;
  while (true) {
    RETURN_IF_ERROR(check(mpi->test(&request, &flag, &status), "MPI_Comm_idup"));
    if (flag != 0) break;
    if (Clock::now() > until) {
      in_doubt = true;
      return Unavailable("not all of {} processes have come in {} seconds", count,
                         o.connect_timeout);
    }
    std::this_thread::sleep_for(kLastPause);
  }
  RETURN_IF_ERROR(
      check(mpi->comm_set_errhandler(comm, mpi->errors_return), "MPI_Comm_set_errhandler"));
  return std::make_unique<MpiNetwork>(mpi, comm, id, count);
}

}  // namespace sinter::network
