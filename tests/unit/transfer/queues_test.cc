#include "transfer/queues.h"

#include <catch2/catch.hpp>
#include <thread>

#include "base/status.h"

namespace sinter {
namespace {

Literal Number(int32_t n) { return Literal::R0(n); }

TEST_CASE("data come out in the order in which they went in") {
  TransferQueue q("infeed", {});
  for (int i = 0; i < 3; ++i) REQUIRE(q.Offer(Number(i)).ok());
  REQUIRE(q.Put(Number(3)).ok());
  for (int i = 0; i < 4; ++i) REQUIRE(*q.Take() == Number(i));
}

TEST_CASE("a full queue") {
  TransferQueue q("outfeed", {.queue_bytes = 8, .timeout_seconds = 0.01});
  REQUIRE(q.Offer(Literal::Tuple({Number(0), Literal::Tuple({Number(1)})})).ok());
  absl::Status full = q.Offer(Number(2));
  REQUIRE(full.code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(MessageOf(full) ==
          "outfeed: 8 bytes wait in the queue, and 4 more are beyond its limit, 8");
  full = q.Put(Number(2));
  REQUIRE(full.code() == absl::StatusCode::kDeadlineExceeded);
  REQUIRE(MessageOf(full) == "outfeed: no room in the queue for 0.01 seconds");
  REQUIRE(q.Take().ok());
  // What is larger than the queue goes through it alone.
  REQUIRE(q.Offer(Literal::R1<int32_t>({1, 2, 3, 4})).ok());
  REQUIRE_FALSE(q.Offer(Number(2)).ok());
  REQUIRE(q.Take()->shape() == Shape(ElementType::S32, {4}));
  REQUIRE(q.Offer(Number(2)).ok());
}

TEST_CASE("an empty queue") {
  TransferQueue q("infeed", {.timeout_seconds = 0.01});
  absl::Status empty = q.Take().status();
  REQUIRE(empty.code() == absl::StatusCode::kDeadlineExceeded);
  REQUIRE(MessageOf(empty) == "infeed: no data in the queue for 0.01 seconds");
}

TEST_CASE("a queue between two threads") {
  TransferQueue q("outfeed", {.queue_bytes = 40});
  constexpr int kCount = 2000;
  std::thread producer([&] {
    for (int i = 0; i < kCount; ++i) REQUIRE(q.Put(Number(i)).ok());
  });
  bool right = true;
  for (int i = 0; i < kCount; ++i) right &= *q.Take() == Number(i);
  producer.join();
  REQUIRE(right);
}

TEST_CASE("nothing waits once transfers are cancelled") {
  TransferQueues queues({.queue_bytes = 4});
  absl::Status taken, put;
  REQUIRE(queues.from_outfeed().Offer(Number(1)).ok());
  std::thread taking([&] { taken = queues.to_infeed().Take().status(); });
  std::thread putting([&] { put = queues.from_outfeed().Put(Number(2)); });
  queues.Cancel();
  taking.join();
  putting.join();
  REQUIRE(taken.code() == absl::StatusCode::kCancelled);
  REQUIRE(MessageOf(taken) == "infeed: no data in the queue, and transfers are cancelled");
  REQUIRE(put.code() == absl::StatusCode::kCancelled);
  // What need not wait goes on.
  REQUIRE(*queues.from_outfeed().Take() == Number(1));
  REQUIRE(queues.from_outfeed().Put(Number(3)).ok());
  REQUIRE(*queues.from_outfeed().Take() == Number(3));
}

TEST_CASE("an infeed meets data of another shape") {
  TransferQueues queues;
  REQUIRE(queues.to_infeed().Offer(Number(1)).ok());
  REQUIRE(queues.to_infeed().Offer(Number(2)).ok());
  absl::Status s = queues.TakeForInfeed(Shape(ElementType::F32, {2})).status();
  REQUIRE(s.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(MessageOf(s) == "infeed: expected f32[2], given s32[]");
  REQUIRE(*queues.TakeForInfeed(Shape(ElementType::S32)) == Number(2));
}

TEST_CASE("an infeed takes its arrays in whatever tuples") {
  TransferQueues queues;
  const Shape number(ElementType::S32);
  REQUIRE(queues.to_infeed().Offer(Literal::Tuple({Number(1), Number(2), Number(3)})).ok());
  REQUIRE(*queues.TakeForInfeed(
              Shape::Tuple({number, Shape::Tuple({}), Shape::Tuple({number, number})})) ==
          Literal::Tuple({Number(1), Literal::Tuple({}), Literal::Tuple({Number(2), Number(3)})}));
  REQUIRE(queues.to_infeed().Offer(Literal::Tuple({Number(1)})).ok());
  REQUIRE(*queues.TakeForInfeed(number) == Number(1));
  REQUIRE(queues.to_infeed().Offer(Literal::Tuple({Number(1), Number(2)})).ok());
  REQUIRE_FALSE(queues.TakeForInfeed(number).ok());
}

TEST_CASE("options of transfers") {
  REQUIRE(TransferQueues::Check({}).ok());
  REQUIRE(MessageOf(TransferQueues::Check({.queue_bytes = -1})) ==
          "TransferOptions.queue_bytes: expected no negative number, given -1");
  REQUIRE_FALSE(TransferQueues::Check({.timeout_seconds = -0.5}).ok());
  REQUIRE_FALSE(TransferQueues::Check({.timeout_seconds = 0.0 / 0.0}).ok());
}

}  // namespace
}  // namespace sinter
