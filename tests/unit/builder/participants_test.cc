#include "sinter/collective_ops.h"

#include "record.h"

namespace sinter {
namespace {

ReplicaGroup Group(std::vector<int64_t> ids) { return {std::move(ids)}; }

TEST_CASE("collectives") {
  Builder b("t");
  Op x = Param(b, 0, kF32, {4, 6});
  AllReduce(
      x, [](Op p, Op q) { return Min(p, q); }, {Group({0, 1})}, ChannelHandle{3}, std::nullopt,
      true);
  CHECK(Body(b) ==
        "ROOT all-reduce = f32[4,6] all-reduce(x), channel_id=3, replica_groups={{0,1}}, "
        "use_global_device_ids=true, to_apply=all-reduce_computation");
  CrossReplicaSum(Param(b, 0, kF32, {2}));
  CHECK(Body(b) == "ROOT all-reduce = f32[2] all-reduce(x), to_apply=all-reduce_computation");
  AllGather(Param(b, 0, kF32, {4, 6}), 1, 3);
  CHECK(Body(b) == "ROOT all-gather = f32[4,18] all-gather(x), dimensions={1}");
  ReduceScatter(Param(b, 0, kF32, {4, 6}), [](Op p, Op q) { return Max(p, q); }, 1, 2,
                {Group({0, 1}), Group({2, 3})});
  CHECK(Body(b) ==
        "ROOT reduce-scatter = f32[4,3] reduce-scatter(x), replica_groups={{0,1},{2,3}}, "
        "dimensions={1}, to_apply=reduce-scatter_computation");
  CollectiveBroadcast(Param(b, 0, kF32, {2}), {Group({1, 0})});
  CHECK(Body(b) ==
        "ROOT collective-broadcast = f32[2] collective-broadcast(x), replica_groups={{1,0}}");
  CollectivePermute(Param(b, 0, kF32, {2}), {{0, 1}, {1, 0}});
  CHECK(
      Body(b) ==
      "ROOT collective-permute = f32[2] collective-permute(x), source_target_pairs={{0,1},{1,0}}");
  ReplicaId(&b);
  CHECK(Body(b) == "ROOT replica-id = u32[] replica-id()");
}

TEST_CASE("all to all") {
  Builder b("t");
  AllToAll(Param(b, 0, kF32, {4, 6}), 0, 0, 2);
  CHECK(Body(b) == "ROOT all-to-all = f32[4,6] all-to-all(x), dimensions={0}");
  // Part i along dimension 0 goes to participant i, which puts them along dimension 1.
  AllToAll(Param(b, 0, kF32, {4, 6}), 0, 1, 2);
  CHECK(Body(b) ==
        "all-to-all = f32[4,6] all-to-all(x), dimensions={0}\n"
        "reshape = f32[2,2,6] reshape(all-to-all)\n"
        "transpose = f32[2,2,6] transpose(reshape), dimensions={1,0,2}\n"
        "ROOT reshape.1 = f32[2,12] reshape(transpose)");
  Op x = Param(b, 0, kF32, {2});
  AllToAllTuple(&b, {x, x}, {Group({0, 1})});
  CHECK(Body(b) == "ROOT all-to-all = (f32[2], f32[2]) all-to-all(x, x), replica_groups={{0,1}}");
}

TEST_CASE("misuses of collectives") {
  Builder a("a"), b("b"), c("c");
  AllToAll(Param(a, 0, kF32, {4, 6}), 1, 2, 2);
  CHECK(ErrorOf(a) == "all-to-all: (C3) there is no dimension 2; operands f32[4,6]");
  AllToAll(Param(b, 0, kF32, {4, 6}), 0, 1, 3);
  CHECK(ErrorOf(b) == "all-to-all: (C2) 3 parts of dimension 0; operands f32[4,6]");
  AllGather(Param(c, 0, kF32, {4}), 0, 2, {Group({0})});
  CHECK(ErrorOf(c) == "all-gather: a group has 1 participants, not 2; operands f32[4]");
}

TEST_CASE("transfers") {
  Builder b("t");
  Infeed(&b, Shape(kF32, {2}), "c");
  CHECK(Body(b) ==
        "after-all = token[] after-all()\n"
        "infeed = (f32[2], token[]) infeed(after-all), infeed_config=\"c\"\n"
        "ROOT get-tuple-element = f32[2] get-tuple-element(infeed), index=0");
  Op sent =
      SendWithToken(Param(b, 0, kF32, {2}), CreateToken(&b), {1, ChannelHandle::DEVICE_TO_HOST});
  RecvWithToken(sent, Shape(kF32, {3}), {2, ChannelHandle::DEVICE_TO_DEVICE});
  CHECK(Body(b) ==
        "after-all = token[] after-all()\n"
        "send = (f32[2], u32[], token[]) send(x, after-all), channel_id=1, is_host_transfer=true\n"
        "send-done = token[] send-done(send), channel_id=1, is_host_transfer=true\n"
        "recv = (f32[3], u32[], token[]) recv(send-done), channel_id=2\n"
        "ROOT recv-done = (f32[3], token[]) recv-done(recv), channel_id=2");
  OutfeedWithToken(Param(b, 0, kF32, {2}), CreateToken(&b), Shape(kF32, {2}));
  CHECK(Body(b) == "after-all = token[] after-all()\nROOT outfeed = token[] outfeed(x, after-all)");
  OutfeedWithToken(Param(b, 0, kF32, {2}), CreateToken(&b), Shape(kF32, {3}));
  CHECK(ErrorOf(b) ==
        "outfeed: the shape must be that of the operand, given f32[3]; operands f32[2]");
}

}  // namespace
}  // namespace sinter
