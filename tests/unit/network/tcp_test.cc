// Networks of processes in one process, and peers that speak their protocol by hand: in pieces,
// wrong, or not to the end.
#include "network/tcp.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <condition_variable>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "base/status.h"
#include "network/sockets.h"
#include "unit/network/inbox.h"

namespace sinter::network {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> FreeAddresses(int count) {
  std::vector<Socket> sockets;
  std::vector<std::string> addresses;
  for (int n = 0; n < count; ++n) {
    sockets.push_back(*Listen("127.0.0.1:0"));
    sockaddr_in own{};
    socklen_t size = sizeof own;
    REQUIRE(getsockname(sockets.back().fd(), reinterpret_cast<sockaddr*>(&own), &size) == 0);
    addresses.push_back(Format("127.0.0.1:{}", ntohs(own.sin_port)));
  }
  return addresses;
}

// All of `count` processes, but those in `by_hand`, which the caller plays.
struct Processes {
  explicit Processes(int count, std::vector<int> by_hand = {}) : inboxes(count), networks(count) {
    addresses = FreeAddresses(count);
    for (int n = 0; n < count; ++n) {
      if (std::find(by_hand.begin(), by_hand.end(), n) != by_hand.end()) continue;
      threads.emplace_back([this, n, count] {
        TcpOptions o;
        o.process_id = n;
        o.process_count = count;
        o.addresses = addresses;
        o.connect_timeout = 20;
        auto made = ConnectTcp(o);
        if (made.ok()) networks[static_cast<size_t>(n)] = *std::move(made);
      });
    }
  }
  ~Processes() {
    for (std::thread& t : threads) {
      if (t.joinable()) t.join();
    }
    // At once: each waits for the others to know that it goes.
    std::vector<std::thread> ends;
    for (auto& n : networks) ends.emplace_back([&n] { n.reset(); });
    for (std::thread& t : ends) t.join();
  }
  void Start() {
    for (std::thread& t : threads) t.join();
    for (size_t n = 0; n < networks.size(); ++n) {
      if (networks[n] != nullptr) REQUIRE(networks[n]->Start(&inboxes[n]).ok());
    }
  }
  std::vector<std::string> addresses;
  std::vector<Inbox> inboxes;
  std::vector<std::unique_ptr<Network>> networks;
  std::vector<std::thread> threads;
};

Message Make(std::string header, size_t bytes, char fill = 'b') {
  Message m{std::move(header), bytes > 0 ? Bytes(bytes) : Bytes()};
  if (bytes > 0) std::memset(m.body.data(), fill, bytes);
  return m;
}

// The protocol: a greeting of each, then frames.
struct Greeting {
  uint64_t magic = 0x3130746e69731a01, token = 0;
  uint32_t from = 0, count = 0;
};
struct Frame {
  uint32_t header = 0, kind = 0;
  uint64_t body = 0;
};
constexpr uint32_t kMessage = 0, kGoodbye = 1;

Clock::time_point Soon() { return Clock::now() + 10s; }

// A process behind 0 that has greeted it.
Socket Greet(const std::string& address, uint32_t from, uint32_t count) {
  absl::StatusOr<Socket> s = Connect(address, Soon());
  for (int tries = 0; tries < 500 && !s.ok(); ++tries) {
    std::this_thread::sleep_for(10ms);
    s = Connect(address, Soon());
  }
  REQUIRE(s.ok());
  Greeting mine, theirs;
  mine.from = from;
  mine.count = count;
  REQUIRE(WriteAll(*s, &mine, sizeof mine, Soon()).ok());
  REQUIRE(ReadAll(*s, &theirs, sizeof theirs, Soon()).ok());
  CHECK(theirs.magic == mine.magic);
  CHECK(theirs.from == 0);
  return *std::move(s);
}

std::string Framed(const std::string& header, const std::string& body, uint32_t kind = kMessage) {
  const Frame frame{static_cast<uint32_t>(header.size()), kind, body.size()};
  std::string all(reinterpret_cast<const char*>(&frame), sizeof frame);
  return all + header + body;
}

TEST_CASE("Messages of all sizes come whole and in order") {
  Processes p(3);
  p.Start();
  const size_t sizes[] = {0, 1, 63, 4096, 70000, 5 << 20, 3};
  for (int to : {1, 2}) {
    for (size_t size : sizes)
      REQUIRE(p.networks[0]->Send(to, Make(Format("{} bytes", size), size)).ok());
  }
  REQUIRE(p.networks[2]->Send(1, Make("", 0)).ok());
  for (size_t size : sizes) {
    const Inbox::Item item = p.inboxes[2].Next();
    CHECK(item.from == 0);
    CHECK(item.header == Format("{} bytes", size));
    CHECK(item.body == std::string(size, 'b'));
  }
  std::map<int, int> count;
  for (size_t k = 0; k < std::size(sizes) + 1; ++k) ++count[p.inboxes[1].Next().from];
  CHECK(count == std::map<int, int>{{0, 7}, {2, 1}});
}

TEST_CASE("Processes find each other by a store") {
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::string> store;
  std::vector<std::unique_ptr<Network>> networks(3);
  std::vector<std::thread> threads;
  for (int n = 0; n < 3; ++n) {
    threads.emplace_back([&, n] {
      TcpOptions o;
      o.process_id = n;
      o.process_count = 3;
      o.put = [&](std::string_view key, std::string_view value) {
        std::lock_guard<std::mutex> lock(mutex);
        store[std::string(key)] = value;
        changed.notify_all();
        return absl::OkStatus();
      };
      o.get = [&](std::string_view key, double seconds) -> absl::StatusOr<std::string> {
        std::unique_lock<std::mutex> lock(mutex);
        if (!changed.wait_for(lock, std::chrono::duration<double>(seconds),
                              [&] { return store.contains(std::string(key)); }))
          return Unavailable("no {}", key);
        return store[std::string(key)];
      };
      auto made = ConnectTcp(o);
      if (made.ok()) networks[static_cast<size_t>(n)] = *std::move(made);
    });
  }
  for (std::thread& t : threads) t.join();
  for (auto& n : networks) REQUIRE(n != nullptr);
}

TEST_CASE("Frames may come byte by byte, and several at a time") {
  Processes p(2, {1});
  const Socket peer = Greet(p.addresses[0], 1, 2);
  p.Start();
  const std::string two = Framed("first", "body") + Framed("", "");
  for (char c : two) {
    REQUIRE(WriteAll(peer, &c, 1, Soon()).ok());
    std::this_thread::sleep_for(200us);
  }
  CHECK(p.inboxes[0].Next().body == "body");
  CHECK(p.inboxes[0].Next().header.empty());
  std::string many;
  for (int k = 0; k < 1000; ++k) many += Framed(Format("{}", k), std::string(k % 90, 'x'));
  REQUIRE(WriteAll(peer, many.data(), many.size(), Soon()).ok());
  for (int k = 0; k < 1000; ++k) {
    const Inbox::Item item = p.inboxes[0].Next();
    REQUIRE(item.header == Format("{}", k));
    REQUIRE(item.body.size() == static_cast<size_t>(k % 90));
  }
}

TEST_CASE("A process that sends what is no message is lost, and the others are not") {
  struct Wrong {
    uint32_t header, kind;
    uint64_t body;
  };
  for (const Wrong& wrong : {Wrong{0, 3, 0}, Wrong{0, ~uint32_t{0}, 0}, Wrong{~uint32_t{0}, 0, 0},
                             Wrong{0, kMessage, ~uint64_t{0}}}) {
    CAPTURE(wrong.header, wrong.kind, wrong.body);
    Processes p(3, {1});
    const Socket peer = Greet(p.addresses[0], 1, 3);
    Socket other = *Listen(p.addresses[1]);
    Socket from_two = *Accept(other, Soon());
    Greeting theirs, mine;
    REQUIRE(ReadAll(from_two, &theirs, sizeof theirs, Soon()).ok());
    CHECK(theirs.from == 2);
    mine.from = 1;
    mine.count = 3;
    REQUIRE(WriteAll(from_two, &mine, sizeof mine, Soon()).ok());
    p.Start();
    const Frame frame{wrong.header, wrong.kind, wrong.body};
    REQUIRE(WriteAll(peer, &frame, sizeof frame, Soon()).ok());
    const Inbox::Item item = p.inboxes[0].Next();
    CHECK(item.from == 1);
    CHECK(MessageOf(item.lost) == "process 1 is lost: it sends no messages");
    CHECK(absl::IsUnavailable(p.networks[0]->Send(1, Make("x", 1))));
    REQUIRE(p.networks[2]->Send(0, Make("still here", 1)).ok());
    CHECK(p.inboxes[0].Next().header == "still here");
  }
}

TEST_CASE("A process that dies is lost, wherever it was; one that says goodbye has gone") {
  const std::string whole = Framed("header", std::string(100000, 'x'));
  for (size_t sent : {size_t{0}, size_t{5}, size_t{18}, size_t{500}, whole.size() - 1}) {
    CAPTURE(sent);
    Processes p(2, {1});
    {
      const Socket peer = Greet(p.addresses[0], 1, 2);
      p.Start();
      REQUIRE(WriteAll(peer, whole.data(), sent, Soon()).ok());
    }
    const Inbox::Item item = p.inboxes[0].Next();
    CHECK(item.from == 1);
    CHECK(MessageOf(item.lost).find("process 1 is lost: ") == 0);
    CHECK(absl::IsUnavailable(item.lost));
    CHECK(!item.closed);
  }
  Processes p(2, {1});
  {
    const Socket peer = Greet(p.addresses[0], 1, 2);
    p.Start();
    const std::string last = Framed("last", "") + Framed("", "", kGoodbye);
    REQUIRE(WriteAll(peer, last.data(), last.size(), Soon()).ok());
    Frame answer;
    REQUIRE(ReadAll(peer, &answer, sizeof answer, Soon()).ok());
  }
  CHECK(p.inboxes[0].Next().header == "last");
  const Inbox::Item end = p.inboxes[0].Next();
  CHECK(MessageOf(end.lost) == "process 1 has closed its client");
  CHECK(end.closed);
}

TEST_CASE("A process that reads slowly gets all, and keeps nobody waiting") {
  Processes p(2, {1});
  const Socket peer = Greet(p.addresses[0], 1, 2);
  p.Start();
  constexpr size_t kBytes = 1 << 20;
  const auto begin = Clock::now();
  for (int k = 0; k < 16; ++k)
    REQUIRE(p.networks[0]->Send(1, Make(Format("{:02}", k), kBytes)).ok());
  CHECK(Clock::now() - begin < 5s);
  for (int k = 0; k < 16; ++k) {
    Frame frame;
    REQUIRE(ReadAll(peer, &frame, sizeof frame, Soon()).ok());
    REQUIRE(frame.body == kBytes);
    std::string rest(frame.header + frame.body, '\0');
    REQUIRE(ReadAll(peer, rest.data(), rest.size(), Soon()).ok());
    CHECK(rest.substr(0, 2) == Format("{:02}", k));
  }
}

TEST_CASE("Strangers are passed over while processes come") {
  Processes p(2, {1});
  auto call = [&](const std::string& says) {
    absl::StatusOr<Socket> s = Connect(p.addresses[0], Soon());
    while (!s.ok()) {
      std::this_thread::sleep_for(10ms);
      s = Connect(p.addresses[0], Soon());
    }
    REQUIRE(WriteAll(*s, says.data(), says.size(), Soon()).ok());
  };
  auto text = [](Greeting g) { return std::string(reinterpret_cast<const char*>(&g), sizeof g); };
  call("");
  call("GET / HTTP/1.1\r\nHost: somebody else\r\n\r\n");
  call(text({.magic = 1, .from = 1, .count = 2}));
  call(text({.token = 9, .from = 1, .count = 2}));
  call(text({.from = 1, .count = 3}));
  call(text({.from = 0, .count = 2}));
  call(text({.from = 7, .count = 2}));
  const Socket peer = Greet(p.addresses[0], 1, 2);
  p.Start();
  REQUIRE(p.networks[0] != nullptr);
  const std::string hello = Framed("hello", "");
  REQUIRE(WriteAll(peer, hello.data(), hello.size(), Soon()).ok());
  CHECK(p.inboxes[0].Next().header == "hello");
}

TEST_CASE("Options that contradict themselves, and processes that do not come") {
  TcpOptions o;
  o.process_count = 3;
  CHECK(MessageOf(ConnectTcp(o).status()) == "neither addresses nor a key-value store are given");
  o.addresses = FreeAddresses(2);
  CHECK(MessageOf(ConnectTcp(o).status()) == "2 addresses are given for 3 processes");
  o.addresses = FreeAddresses(3);
  o.connect_timeout = 0.2;
  CHECK(MessageOf(ConnectTcp(o).status()) == "these processes have not come in 0.2 seconds: 1, 2");
  o.process_id = 2;
  CHECK(MessageOf(ConnectTcp(o).status()).find("process 0 has not been reached in 0.2 seconds") ==
        0);
  o.addresses[0] = "nowhere";
  CHECK(absl::IsInvalidArgument(ConnectTcp(o).status()));
}

}  // namespace
}  // namespace sinter::network
