#include "network/tcp.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <system_error>
#include <thread>

#include "base/status.h"
#include "network/sockets.h"

namespace sinter::network {
namespace {

using namespace std::chrono_literals;

constexpr uint64_t kMagic = 0x3130746e69731a01;
constexpr uint64_t kMostBytes = uint64_t{1} << 40;  // of a message's body
constexpr uint32_t kMostHeader = 1 << 26;
constexpr auto kGreetingTime = 5s;  // for a stranger to say who it is
constexpr auto kRetry = 20ms;
constexpr auto kGoodbye = 3s;
constexpr size_t kBuffer = 64 << 10;
constexpr size_t kTurn = 4 << 20;  // bytes of one process before others have their turn

struct Greeting {
  uint64_t magic = kMagic, token = 0;
  uint32_t from = 0, count = 0;
};

enum class FrameKind : uint32_t { kMessage, kGoodbye, kGoodbyeToo };
struct Frame {
  uint32_t header = 0;
  FrameKind kind = FrameKind::kMessage;
  uint64_t body = 0;
};

struct Outgoing {
  Frame frame;
  Message message;
  size_t sent = 0;
};

struct Peer {
  Socket socket;
  // Of the network's thread.
  std::array<char, kBuffer> buffer;
  size_t buffered = 0;
  size_t have = 0;  // of the frame that is being read
  Frame frame;
  Message incoming;
  bool has_frame = false;
  // Of everyone.
  std::mutex mutex;
  std::deque<Outgoing> out;
  absl::Status lost;
  bool said_goodbye = false;  // the process has
};

// What the network's thread has in common with the network, which it may outlive by its last call.
class Connections {
 public:
  explicit Connections(std::vector<Socket> sockets) {
    for (Socket& s : sockets) {
      peers_.push_back(std::make_unique<Peer>());
      peers_.back()->socket = std::move(s);
    }
  }
  absl::Status Open(Receiver* receiver);
  absl::Status Post(int to, Outgoing message);
  void Work();
  void SayGoodbye();
  // Until all know that this process goes, or are lost.
  void AwaitGoodbyes();
  void Stop() const;
  // The same from the thread itself, which calls nobody any more.
  void Abandon() { abandoned_ = true; }

 private:
  // Sends what the socket takes. The peer's mutex is held.
  absl::Status Flush(Peer& peer, int number);
  void Watch(const Peer& peer, int number, bool write, int operation) const;
  void Read(Peer& peer, int number);
  // What there is of the buffer, into messages.
  absl::Status Take(Peer& peer, int number, const char* data, size_t size);
  void Lose(int number, const absl::Status& why);
  void Part(int number);

  std::vector<std::unique_ptr<Peer>> peers_;  // by process; without a socket: this one
  Socket epoll_, stop_;
  Receiver* receiver_ = nullptr;
  bool abandoned_ = false;
  std::mutex goodbye_mutex_;
  std::condition_variable goodbye_;
  std::vector<char> parted_;  // they know that this process goes, or are lost
};

class TcpNetwork final : public Network {
 public:
  TcpNetwork(int id, int count, std::vector<Socket> sockets)
      : Network(id, count), connections_(std::make_shared<Connections>(std::move(sockets))) {}
  ~TcpNetwork() override {
    if (!thread_.joinable()) return;
    connections_->SayGoodbye();
    if (thread_.get_id() == std::this_thread::get_id()) {  // its last call has destroyed this
      connections_->Abandon();
      thread_.detach();
      return;
    }
    connections_->AwaitGoodbyes();
    connections_->Stop();
    thread_.join();
  }

  absl::Status Start(Receiver* receiver) override {
    RETURN_IF_ERROR(connections_->Open(receiver));
    try {
      thread_ = std::thread([connections = connections_] { connections->Work(); });
    } catch (const std::system_error& e) {
      return ResourceExhausted("the system refuses a thread: {}", e.what());
    }
    return absl::OkStatus();
  }
  absl::Status Send(int to, Message message) override {
    RETURN_INTERNAL_IF(message.header.size() > kMostHeader, "a header of {} bytes",
                       message.header.size());
    const Frame frame{static_cast<uint32_t>(message.header.size()), FrameKind::kMessage,
                      message.body.size()};
    return connections_->Post(to, {frame, std::move(message), 0});
  }
  void AddWaiting(int) override {}

 private:
  const std::shared_ptr<Connections> connections_;
  std::thread thread_;
};

absl::Status Connections::Open(Receiver* receiver) {
  receiver_ = receiver;
  parted_.assign(peers_.size(), 0);
  epoll_ = Socket(epoll_create1(EPOLL_CLOEXEC));
  stop_ = Socket(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!epoll_.is_open() || !stop_.is_open())
    return ResourceExhausted("the system has no descriptor: {}", LastError());
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = peers_.size();
  epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, stop_.fd(), &event);
  for (size_t n = 0; n < peers_.size(); ++n) {
    if (peers_[n]->socket.is_open()) {
      Watch(*peers_[n], static_cast<int>(n), false, EPOLL_CTL_ADD);
    } else {
      parted_[n] = 1;
    }
  }
  return absl::OkStatus();
}

void Connections::SayGoodbye() {
  for (size_t n = 0; n < peers_.size(); ++n) {
    if (peers_[n]->socket.is_open())
      Post(static_cast<int>(n), {{0, FrameKind::kGoodbye, 0}, {}, 0}).IgnoreError();
  }
}

// Others answer at once, whatever they do; when they have, they have all that was sent to them.
void Connections::AwaitGoodbyes() {
  std::unique_lock<std::mutex> lock(goodbye_mutex_);
  goodbye_.wait_for(lock, kGoodbye, [&] {
    return std::all_of(parted_.begin(), parted_.end(), [](char p) { return p != 0; });
  });
}

void Connections::Stop() const {
  const uint64_t one = 1;
  while (write(stop_.fd(), &one, sizeof one) < 0 && errno == EINTR) continue;
}

void Connections::Part(int number) {
  std::lock_guard<std::mutex> lock(goodbye_mutex_);
  parted_[static_cast<size_t>(number)] = 1;
  goodbye_.notify_all();
}

absl::Status Connections::Post(int to, Outgoing message) {
  Peer& peer = *peers_[static_cast<size_t>(to)];
  std::lock_guard<std::mutex> lock(peer.mutex);
  RETURN_IF_ERROR(peer.lost);
  peer.out.push_back(std::move(message));
  if (peer.out.size() > 1) return absl::OkStatus();
  RETURN_IF_ERROR(Flush(peer, to));
  if (!peer.out.empty()) Watch(peer, to, true, EPOLL_CTL_MOD);
  return absl::OkStatus();
}

absl::Status Connections::Flush(Peer& peer, int number) {
  while (!peer.out.empty()) {
    Outgoing& o = peer.out.front();
    struct Part {
      const void* data;
      size_t size;
    };
    const Part parts[] = {{&o.frame, sizeof o.frame},
                          {o.message.header.data(), o.message.header.size()},
                          {o.message.body.data(), o.message.body.size()}};
    iovec vectors[3];
    size_t count = 0, skip = o.sent, left = 0;
    for (const Part& p : parts) {
      const size_t skipped = std::min(skip, p.size);
      skip -= skipped;
      if (p.size == skipped) continue;
      vectors[count++] = {const_cast<char*>(static_cast<const char*>(p.data) + skipped),
                          p.size - skipped};
      left += p.size - skipped;
    }
    msghdr m{};
    m.msg_iov = vectors;
    m.msg_iovlen = count;
    const ssize_t n = sendmsg(peer.socket.fd(), &m, MSG_NOSIGNAL);
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return absl::OkStatus();
      // The network's thread finds the same, and tells.
      return Unavailable("process {} cannot be reached: {}", number, LastError());
    }
    o.sent += static_cast<size_t>(n);
    if (static_cast<size_t>(n) == left) peer.out.pop_front();
  }
  return absl::OkStatus();
}

void Connections::Watch(const Peer& peer, int number, bool write, int operation) const {
  epoll_event event{};
  event.events = write ? EPOLLIN | EPOLLOUT : EPOLLIN;
  event.data.u64 = static_cast<uint64_t>(number);
  epoll_ctl(epoll_.fd(), operation, peer.socket.fd(), &event);
}

void Connections::Work() {
  std::array<epoll_event, 64> events;
  while (true) {
    const int count = epoll_wait(epoll_.fd(), events.data(), events.size(), -1);
    if (count < 0 && errno != EINTR) return;
    for (int i = 0; i < count; ++i) {
      const auto n = static_cast<size_t>(events[static_cast<size_t>(i)].data.u64);
      if (n == peers_.size()) return;
      Peer& peer = *peers_[n];
      const int number = static_cast<int>(n);
      if ((events[static_cast<size_t>(i)].events & EPOLLOUT) != 0) {
        std::lock_guard<std::mutex> lock(peer.mutex);
        // Where it fails, reading does too.
        Flush(peer, number).IgnoreError();
        if (peer.out.empty()) Watch(peer, number, false, EPOLL_CTL_MOD);
      }
      if ((events[static_cast<size_t>(i)].events & ~uint32_t{EPOLLOUT}) != 0) Read(peer, number);
      if (abandoned_) return;
    }
  }
}

void Connections::Read(Peer& peer, int number) {
  absl::Status status;
  for (size_t turn = 0; turn < kTurn && status.ok() && !abandoned_;) {
    const size_t header = peer.incoming.header.size(), body = peer.incoming.body.size();
    const bool direct =
        peer.has_frame && peer.have >= header && header + body - peer.have > kBuffer;
    char* to = direct ? peer.incoming.body.data() + (peer.have - header) : peer.buffer.data();
    const size_t room = direct ? header + body - peer.have : kBuffer;
    const ssize_t n = recv(peer.socket.fd(), to, room, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      const std::string why = n == 0 ? "the connection has been closed" : LastError();
      status = peer.said_goodbye ? Unavailable("process {} has closed its client", number)
                                 : Unavailable("process {} is lost: {}", number, why);
      break;
    }
    turn += static_cast<size_t>(n);
    if (direct) {
      peer.have += static_cast<size_t>(n);
      status = Take(peer, number, nullptr, 0);
    } else {
      status = Take(peer, number, peer.buffer.data(), static_cast<size_t>(n));
    }
  }
  if (!status.ok() && !abandoned_) Lose(number, status);
}

absl::Status Connections::Take(Peer& peer, int number, const char* data, size_t size) {
  while (true) {
    if (!peer.has_frame) {
      const size_t n = std::min(size, sizeof peer.frame - peer.have);
      std::memcpy(reinterpret_cast<char*>(&peer.frame) + peer.have, data, n);
      peer.have += n;
      data += n;
      size -= n;
      if (peer.have < sizeof peer.frame) return absl::OkStatus();
      if (peer.frame.body > kMostBytes || peer.frame.header > kMostHeader ||
          peer.frame.kind > FrameKind::kGoodbyeToo)
        return Unavailable("process {} is lost: it sends no messages", number);
      peer.have = 0;
      peer.has_frame = true;
      try {
        peer.incoming.header.assign(peer.frame.header, '\0');
        peer.incoming.body = peer.frame.body > 0 ? Bytes(peer.frame.body) : Bytes();
      } catch (const std::bad_alloc&) {
        return Unavailable("process {} is lost: there is no memory for its message of {} bytes",
                           number, peer.frame.body);
      }
    }
    const size_t header = peer.incoming.header.size(), all = header + peer.incoming.body.size();
    while (size > 0 && peer.have < all) {
      const bool in_header = peer.have < header;
      const size_t n = std::min(size, (in_header ? header : all) - peer.have);
      std::memcpy(in_header ? peer.incoming.header.data() + peer.have
                            : peer.incoming.body.data() + (peer.have - header),
                  data, n);
      peer.have += n;
      data += n;
      size -= n;
    }
    if (peer.have < all) return absl::OkStatus();
    peer.have = 0;
    peer.has_frame = false;
    switch (peer.frame.kind) {
      case FrameKind::kMessage:
        receiver_->Received(number, std::exchange(peer.incoming, {}));
        if (abandoned_) return absl::OkStatus();
        break;
      case FrameKind::kGoodbye:
        peer.said_goodbye = true;
        Post(number, {{0, FrameKind::kGoodbyeToo, 0}, {}, 0}).IgnoreError();
        break;
      case FrameKind::kGoodbyeToo:
        Part(number);
        break;
    }
    if (size == 0) return absl::OkStatus();
  }
}

void Connections::Lose(int number, const absl::Status& why) {
  Peer& peer = *peers_[static_cast<size_t>(number)];
  {
    std::lock_guard<std::mutex> lock(peer.mutex);
    peer.lost = why;
    peer.out.clear();
    epoll_ctl(epoll_.fd(), EPOLL_CTL_DEL, peer.socket.fd(), nullptr);
  }
  receiver_->Lost(number, why, peer.said_goodbye);
  Part(number);
}

// "token host:port host:port ..."
struct Place {
  uint64_t token = 0;
  std::vector<std::string> addresses;
};

std::string ToText(const Place& place) {
  return Format("{} {}", place.token, Join(place.addresses, " "));
}

absl::StatusOr<Place> ReadPlace(std::string_view text) {
  Place place;
  size_t space = text.find(' ');
  for (char c : text.substr(0, space)) {
    if (c < '0' || c > '9') return InvalidArgument("'{}' says of no process where it is", text);
    place.token = place.token * 10 + static_cast<uint64_t>(c - '0');
  }
  while (space != std::string_view::npos) {
    text = text.substr(space + 1);
    space = text.find(' ');
    place.addresses.emplace_back(text.substr(0, space));
  }
  return place;
}

// One of its addresses answers as the process: until then, or to the deadline.
absl::StatusOr<Socket> Reach(const Place& place, int process, const Greeting& own,
                             Clock::time_point deadline) {
  absl::Status last = Unavailable("it has no address");
  do {
    for (const std::string& address : place.addresses) {
      auto socket = Connect(address, std::min(deadline, Clock::now() + kGreetingTime));
      if (!socket.ok()) {
        if (absl::IsInvalidArgument(socket.status())) return socket.status();
        last = socket.status();
        continue;
      }
      Greeting mine = own, theirs;
      mine.token = place.token;
      last = WriteAll(*socket, &mine, sizeof mine, deadline);
      if (last.ok()) last = ReadAll(*socket, &theirs, sizeof theirs, deadline);
      if (!last.ok()) continue;
      if (theirs.magic != kMagic || theirs.from != static_cast<uint32_t>(process) ||
          theirs.count != own.count || theirs.token != place.token) {
        last = Unavailable("{} is not process {} of {}", address, process, own.count);
        continue;
      }
      return socket;
    }
    std::this_thread::sleep_for(kRetry);
  } while (Clock::now() < deadline);
  return last;
}

std::string KeyOf(int process) { return Format("sinter/address/{}", process); }

}  // namespace

absl::StatusOr<std::unique_ptr<Network>> ConnectTcp(const TcpOptions& o) {
  const bool listed = !o.addresses.empty();
  if (listed && o.addresses.size() != static_cast<size_t>(o.process_count)) {
    return InvalidArgument("{} addresses are given for {} processes", o.addresses.size(),
                           o.process_count);
  }
  if (!listed && o.process_count > 1 && (o.put == nullptr || o.get == nullptr))
    return InvalidArgument("neither addresses nor a key-value store are given");
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(o.connect_timeout, 1e6)));
  ASSIGN_OR_RETURN(
      const Socket listening,
      Listen(listed ? std::string_view(o.addresses[static_cast<size_t>(o.process_id)]) : ""));
  Place own;
  if (!listed) {
    std::random_device random;
    own.token = uint64_t{random()} << 32 | random();
    ASSIGN_OR_RETURN(own.addresses, AddressesOf(listening));
    RETURN_IF_ERROR(o.put(KeyOf(o.process_id), ToText(own)));
  }
  const Greeting greeting{kMagic, 0, static_cast<uint32_t>(o.process_id),
                          static_cast<uint32_t>(o.process_count)};
  std::vector<Socket> sockets(static_cast<size_t>(o.process_count));
  // Each calls those before it, and is called by those behind it.
  for (int n = 0; n < o.process_id; ++n) {
    Place place{0, {}};
    if (listed) {
      place.addresses = {o.addresses[static_cast<size_t>(n)]};
    } else {
      const double left = std::chrono::duration<double>(deadline - Clock::now()).count();
      auto text = o.get(KeyOf(n), std::max(0.001, left));
      if (!text.ok()) return Annotate(text.status(), Format("the address of process {}", n));
      ASSIGN_OR_RETURN(place, ReadPlace(*text));
    }
    auto socket = Reach(place, n, greeting, deadline);
    if (!socket.ok()) {
      return Annotate(socket.status(), Format("process {} has not been reached in {} seconds", n,
                                              o.connect_timeout));
    }
    sockets[static_cast<size_t>(n)] = *std::move(socket);
  }
  for (int missing = o.process_count - 1 - o.process_id; missing > 0;) {
    auto socket = Accept(listening, deadline);
    if (!socket.ok()) {
      std::vector<std::string> names;
      for (int n = o.process_id + 1; n < o.process_count; ++n) {
        if (!sockets[static_cast<size_t>(n)].is_open()) names.push_back(Format("{}", n));
      }
      return Unavailable("these processes have not come in {} seconds: {}", o.connect_timeout,
                         Join(names, ", "));
    }
    Greeting theirs, mine = greeting;
    mine.token = own.token;
    const auto soon = std::min(deadline, Clock::now() + kGreetingTime);
    if (!ReadAll(*socket, &theirs, sizeof theirs, soon).ok() || theirs.magic != kMagic ||
        theirs.token != own.token || theirs.count != greeting.count ||
        theirs.from <= greeting.from || theirs.from >= theirs.count ||
        sockets[theirs.from].is_open() || !WriteAll(*socket, &mine, sizeof mine, soon).ok())
      continue;  // a stranger
    sockets[theirs.from] = *std::move(socket);
    --missing;
  }
  return std::make_unique<TcpNetwork>(o.process_id, o.process_count, std::move(sockets));
}

}  // namespace sinter::network
