#include <catch2/catch.hpp>

#include "base/status.h"
#include "collective/groups.h"
#include "collective/rendezvous.h"

namespace sinter::collective {
namespace {

TEST_CASE("Numbers in groups are of replicas, partitions or participants") {
  const Grid grid{2, 3};
  auto form = [&](GroupMode mode, const Groups& groups) {
    return FormGroups(mode, groups, grid).value();
  };
  CHECK(form(GroupMode::kCrossReplica, {{1, 0}}) == Groups{{3, 0}, {4, 1}, {5, 2}});
  CHECK(form(GroupMode::kCrossPartition, {{0, 2}, {1}}) == Groups{{0, 2}, {3, 5}, {1}, {4}});
  CHECK(form(GroupMode::kCrossReplicaAndPartition, {{1, 0}}) == Groups{{3, 0, 4, 1, 5, 2}});
  CHECK(form(GroupMode::kFlattenedIds, {{5, 0}}) == Groups{{5, 0}});
  CHECK(form(GroupMode::kFlattenedIds, {}) == Groups{{0, 1, 2, 3, 4, 5}});
  CHECK(form(GroupMode::kCrossPartition, {}) == Groups{{0, 1, 2}, {3, 4, 5}});
  CHECK(FormPairs(GroupMode::kCrossReplica, {}, grid).value().empty());
  CHECK(MessageOf(FormGroups(GroupMode::kCrossReplica, {{2}}, grid).status()) ==
        "replica 2 is named, and the program runs on 2 replicas and 3 partitions");
  CHECK_FALSE(FormPairs(GroupMode::kFlattenedIds, {{0, 6}}, grid).ok());
}

TEST_CASE("Pairs join participants") {
  CHECK(ComponentsOf({{3, 1}, {0, 0}, {1, 4}, {5, 2}}) == Groups{{0}, {1, 3, 4}, {2, 5}});
  CHECK(SourceFor({{3, 1}, {1, 4}}, 4) == 1);
  CHECK(SourceFor({{3, 1}, {1, 4}}, 3) == -1);
}

TEST_CASE("A group is complete when all of it have come to the same") {
  const Grid grid{3, 1};
  Rendezvous r(grid);
  const Operation sum{"all-reduce 'a'", "sum"}, product{"all-reduce 'b'", "product"};
  const std::vector<int64_t> two{0, 1}, others{1, 2};
  CHECK_FALSE(r.Arrive(0, sum, two).value());
  CHECK_FALSE(r.Arrive(1, sum, others).value());  // of another group: no contradiction
  CHECK(r.DescribeGroup(sum, two) ==
        "all-reduce 'a': arrived participant 0; missing participant 1");
  CHECK(r.Arrive(2, sum, others).value());
  r.Release(others);
  r.End(2);
  CHECK(r.Describe() ==
        "participant 0 waits in all-reduce 'a' for participant 1; participant 2 has come to its "
        "end");
  CHECK(MessageOf(r.Arrive(1, product, two).status()) ==
        "participant 1 is in all-reduce 'b': product; participant 0 of the same group is in "
        "all-reduce 'a': sum");
  r.AwaitSender(1, sum, 2);
  CHECK(r.Describe().find("participant 1 waits in all-reduce 'a' for what participant 2 sends") !=
        std::string::npos);
}

TEST_CASE("Who is in several operations meets in each in the order of its coming") {
  const Grid grid{2, 1};
  Rendezvous r(grid);
  const Operation first{"all-reduce 'a'", "sum"}, second{"all-reduce 'b'", "product"};
  const std::vector<int64_t> both{0, 1};
  CHECK_FALSE(r.Arrive(0, first, both).value());
  CHECK_FALSE(r.Arrive(0, second, both).value());
  CHECK(r.Describe() ==
        "participant 0 waits in all-reduce 'a' for participant 1; participant 0 waits in "
        "all-reduce 'b' for participant 1");
  CHECK(r.Arrive(1, first, both).value());
  r.Release(both);
  // The second of one is the second of the other, whatever the first was.
  CHECK(MessageOf(r.Arrive(1, first, both).status()) ==
        "participant 1 is in all-reduce 'a': sum; participant 0 of the same group is in "
        "all-reduce 'b': product");
  CHECK(r.Arrive(1, second, both).value());
  r.Release(both);
  CHECK(r.Describe().empty());
}

}  // namespace
}  // namespace sinter::collective
