// Networks of processes in one process, by an MPI of the test's: it keeps order or not, loses, and
// fails.
#include "network/mpi.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "network/mpi_library.h"
#include "unit/network/inbox.h"

namespace sinter::network {
namespace {

using Handle = MpiLibrary::Handle;

// What all processes see. A communicator's handle says whose it is: process n has n + 1.
class FakeMpi {
 public:
  struct Sent {
    int from = 0, to = 0, tag = 0;
    std::string data;
  };
  // Where a message is put: at the end, unless the test says otherwise.
  std::function<void(std::deque<Sent>&, Sent)> deliver = [](std::deque<Sent>& queue, Sent s) {
    queue.push_back(std::move(s));
  };
  int count = 2;
  std::atomic<int> send_error{0};  // of all sends from now on
  std::atomic<bool> slow{false};   // nothing comes for the time being

  FakeMpi() { now_ = this; }
  ~FakeMpi() { now_ = nullptr; }

  std::shared_ptr<const MpiLibrary> Library() const {
    auto mpi = std::make_shared<MpiLibrary>();
    mpi->name = "an MPI of the test's";
    mpi->handles_are_pointers = true;
    mpi->initialized = [](int* flag) { return *flag = 1, 0; };
    mpi->finalized = [](int* flag) { return *flag = 0, 0; };
    mpi->query_thread = [](int* level) { return *level = MpiLibrary::kThreadMultiple, 0; };
    mpi->comm_rank = [](Handle comm, int* rank) { return *rank = static_cast<int>(comm) - 1, 0; };
    mpi->comm_size = [](Handle, int* size) { return *size = now_->count, 0; };
    mpi->comm_idup = [](Handle comm, Handle* copy, Handle* request) {
      *copy = comm;
      return *request = 0, 0;
    };
    mpi->comm_free = [](Handle*) { return 0; };
    mpi->comm_set_errhandler = [](Handle, Handle) { return 0; };
    mpi->isend = [](const void* data, int size, Handle, int to, int tag, Handle comm,
                    Handle* request) { return now_->Send(data, size, to, tag, comm, request); };
    mpi->improbe = [](int from, int tag, Handle comm, int* flag, Handle* message,
                      MpiLibrary::Status* status) {
      return now_->Probe(from, tag, comm, flag, message, status);
    };
    mpi->get_count = [](const MpiLibrary::Status* status, Handle, int* count) {
      return *count = status->words[0], 0;
    };
    mpi->imrecv = [](void* data, int size, Handle, Handle* message, Handle* request) {
      return now_->Receive(data, size, message, request);
    };
    mpi->test = [](Handle*, int* flag, MpiLibrary::Status*) { return *flag = 1, 0; };
    mpi->error_string = [](int, char* text, int* size) {
      std::strcpy(text, "what the test wants");
      return *size = static_cast<int>(std::strlen(text)), 0;
    };
    return mpi;
  }

 private:
  int Send(const void* data, int size, int to, int tag, Handle comm, Handle* request) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (send_error != 0) return send_error;
    deliver(queues_[to], {static_cast<int>(comm) - 1, to, tag,
                          std::string(static_cast<const char*>(data), static_cast<size_t>(size))});
    return *request = 0, 0;
  }
  int Probe(int from, int tag, Handle comm, int* flag, Handle* message,
            MpiLibrary::Status* status) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::deque<Sent>& queue = queues_[static_cast<int>(comm) - 1];
    *flag = 0;
    if (slow) return 0;
    for (auto s = queue.begin(); s != queue.end(); ++s) {
      if (s->from != from || s->tag != tag) continue;
      *flag = 1;
      status->words[0] = static_cast<int>(s->data.size());
      *message = reinterpret_cast<Handle>(new Sent(std::move(*s)));
      queue.erase(s);
      break;
    }
    return 0;
  }
  int Receive(void* data, int size, Handle* message, Handle* request) {
    const std::unique_ptr<Sent> sent(reinterpret_cast<Sent*>(*message));
    std::memcpy(data, sent->data.data(), static_cast<size_t>(size));
    return *request = 0, 0;
  }
  static FakeMpi* now_;
  std::mutex mutex_;
  std::map<int, std::deque<Sent>> queues_;  // by receiver
};

FakeMpi* FakeMpi::now_ = nullptr;

struct MpiPair {
  explicit MpiPair(const FakeMpi& mpi) {
    for (Handle n = 0; n < 2; ++n) {
      const Handle comm = n + 1;
      MpiOptions o;
      o.communicator = &comm;
      networks[n] = ConnectMpi(o, mpi.Library()).value();
      REQUIRE(networks[n]->process_id() == static_cast<int>(n));
      REQUIRE(networks[n]->Start(&inboxes[n]).ok());
      networks[n]->AddWaiting(1);
    }
  }
  // They part together.
  ~MpiPair() {
    std::thread other([&] { networks[1].reset(); });
    networks[0].reset();
    other.join();
  }
  absl::Status Send(const std::string& header, size_t body = 0) {
    Bytes bytes(body);
    std::memset(bytes.data(), header.back(), body);
    return networks[0]->Send(1, {header, std::move(bytes)});
  }
  Inbox inboxes[2];
  std::unique_ptr<Network> networks[2];
};

std::string Summary(const Inbox::Item& item) {
  if (item.from < 0) return "nothing";
  if (!item.lost.ok()) return "lost: " + MessageOf(item.lost);
  for (char c : item.body) {
    if (c != item.header.back()) return item.header + " with a body of another's";
  }
  return Format("{} {}", item.header, item.body.size());
}

TEST_CASE("MPI: messages of all sizes come in order") {
  FakeMpi mpi;
  MpiPair p(mpi);
  const std::vector<size_t> sizes{0, 1, 32 << 10, (32 << 10) + 1, 3 << 20, 0};
  for (size_t n = 0; n < sizes.size(); ++n) REQUIRE(p.Send(Format("m{}", n), sizes[n]).ok());
  for (size_t n = 0; n < sizes.size(); ++n)
    CHECK(Summary(p.inboxes[1].Next()) == Format("m{} {}", n, sizes[n]));
}

TEST_CASE("MPI: what a library lets overtake is put in order again") {
  FakeMpi mpi;
  std::deque<FakeMpi::Sent> held;
  size_t seen = 0;
  // Of three messages the first comes last.
  mpi.deliver = [&](std::deque<FakeMpi::Sent>& queue, FakeMpi::Sent s) {
    if (seen < 30 && seen++ % 3 == 0) return held.push_back(std::move(s));
    queue.push_back(std::move(s));
    if (seen % 3 != 0 || held.empty()) return;
    queue.push_back(std::move(held.front()));
    held.pop_front();
  };
  MpiPair p(mpi);
  for (int n = 0; n < 30; ++n) REQUIRE(p.Send(Format("m{}", n), 5).ok());
  for (int n = 0; n < 30; ++n) CHECK(Summary(p.inboxes[1].Next()) == Format("m{} 5", n));
}

TEST_CASE("MPI: what comes twice, or is too short, loses the process") {
  const std::string lost = "lost: process 0 is lost: its messages cannot be taken";
  for (const bool twice : {true, false}) {
    FakeMpi mpi;
    mpi.deliver = [&](std::deque<FakeMpi::Sent>& queue, FakeMpi::Sent s) {
      if (twice) queue.push_back(s);
      if (!twice) s.data.resize(7);
      queue.push_back(std::move(s));
    };
    MpiPair p(mpi);
    REQUIRE(p.Send("m").ok());
    if (twice) CHECK(Summary(p.inboxes[1].Next()) == "m 0");
    CHECK(Summary(p.inboxes[1].Next()) == lost);
  }
}

TEST_CASE("MPI: a message that never comes does not let the others pile up for ever") {
  FakeMpi mpi;
  size_t seen = 0;
  mpi.deliver = [&](std::deque<FakeMpi::Sent>& queue, FakeMpi::Sent s) {
    if (seen++ != 0) queue.push_back(std::move(s));
  };
  MpiPair p(mpi);
  for (int n = 0; n < 1100; ++n) REQUIRE(p.Send("m").ok());
  CHECK(Summary(p.inboxes[1].Next()) == "lost: process 0 is lost: its messages cannot be taken");
}

TEST_CASE("MPI: a send that fails loses its receiver, and later sends say so") {
  FakeMpi mpi;
  MpiPair p(mpi);
  mpi.send_error = 17;
  REQUIRE(p.Send("m").ok());
  CHECK(Summary(p.inboxes[0].Next()) == "lost: process 1 is lost: what the test wants");
  CHECK(p.Send("m").code() == absl::StatusCode::kUnavailable);
  mpi.send_error = 0;
}

// The fake gives the next network the same communicator, as libraries may do.
TEST_CASE("MPI: what is on its way when a network goes does not come to the next") {
  FakeMpi mpi;
  {
    MpiPair p(mpi);
    mpi.slow = true;
    REQUIRE(p.Send("late", 10).ok());
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      mpi.slow = false;
    });
    std::thread first([&] { p.networks[0].reset(); });
    p.networks[1].reset();
    first.join();
    later.join();
  }
  MpiPair next(mpi);
  REQUIRE(next.Send("first").ok());
  CHECK(Summary(next.inboxes[1].Next()) == "first 0");
}

// Its thread must still say goodbye: the other one waits for that.
TEST_CASE("MPI: a network that its own thread destroys parts in good order") {
  class Destroys final : public Receiver {
   public:
    void Received(int, Message) override {
      (void)network->Send(0, {"last words", {}});
      network->AddWaiting(-1);
      network.reset();
      gone = true;
    }
    void Lost(int, const absl::Status&, bool) override {}
    std::unique_ptr<Network> network;
    std::atomic<bool> gone{false};
  };
  FakeMpi mpi;
  const auto connect = [&](Handle comm) {
    MpiOptions o;
    o.communicator = &comm;
    return ConnectMpi(o, mpi.Library()).value();
  };
  Destroys receiver;
  Inbox inbox;
  receiver.network = connect(2);
  auto network = connect(1);
  REQUIRE(receiver.network->Start(&receiver).ok());
  REQUIRE(network->Start(&inbox).ok());
  network->AddWaiting(1);
  receiver.network->AddWaiting(1);
  REQUIRE(network->Send(1, {"m", {}}).ok());
  CHECK(Summary(inbox.Next()) == "last words 0");
  // It is alone at its goodbye for a while.
  while (!receiver.gone) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto begin = std::chrono::steady_clock::now();
  network.reset();
  connect(1);  // waits for the other's thread, which looks at `mpi`
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
}

}  // namespace
}  // namespace sinter::network
