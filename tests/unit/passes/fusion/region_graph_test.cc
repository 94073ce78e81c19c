// What regions need from one another, beside a search through all of the graph.
#include "passes/fusion/region_graph.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>

#include "absl/algorithm/container.h"
#include "base/text.h"
#include "ir/text/parser.h"

namespace sinter::fusion {
namespace {

class RandomRegions {
 public:
  explicit RandomRegions(unsigned seed) : random_(seed) {
    std::string text = "HloModule m\nENTRY e {\n v0 = f32[8] parameter(0)\n";
    for (int i = 1; i < kValues; ++i) {
      auto earlier = [&] { return std::max(0, i - 1 - static_cast<int>(random_() % 6)); };
      text += Format(" {}v{} = f32[8] add(v{}, v{})\n", i == kValues - 1 ? "ROOT " : "", i,
                     earlier(), earlier());
    }
    auto module = ParseHloText(text + "}\n", "regions.hlo");
    INFO(module.status().ToString());
    REQUIRE(module.ok());
    module_ = *std::move(module);
  }

  void Run() {
    const std::vector<HloInstruction*> order = module_->entry()->PostOrder();
    for (size_t k = order.size(); k-- > 0;) {
      MergeSome();
      Place(order[k]);
      graph_.Placed(order[k]);
    }
  }

 private:
  static constexpr int kValues = 60;
  bool Chance(unsigned of) { return random_() % of == 0; }

  Group* NewGroup() {
    groups_.push_back(std::make_unique<Group>());
    return groups_.back().get();
  }
  void Join(Group* g, HloInstruction* i) {
    g->accesses.emplace(i, Accesses());
    g->members.push_back(i);
    graph_.Add(i, g);
  }
  void AddOutput(Group* g, HloInstruction* i) {
    Join(g, i);
    g->outputs.push_back(i);
    graph_.Raise(g);
  }

  void Place(HloInstruction* i) {
    if (i->op() == HloOpcode::Parameter || Chance(6)) return;
    const Consumers consumers = graph_.ConsumersOf(i);
    if (!consumers.outside && !consumers.groups.empty() && Chance(2)) {
      for (Group* g : consumers.groups) Join(g, i);  // with a copy in each
      return;
    }
    for (Group* g : consumers.groups) {
      const bool reaches = graph_.ReachesThroughOthers(i, g);
      REQUIRE(reaches == Reaches(i, g));
      if (reaches || Chance(3)) continue;
      AddOutput(g, i);
      return;
    }
    AddOutput(NewGroup(), i);
  }

  void MergeSome() {
    if (groups_.size() < 2 || !Chance(4)) return;
    const size_t x = random_() % groups_.size(), y = random_() % groups_.size();
    Group *a = groups_[x].get(), *b = groups_[y].get();
    if (x == y) return;
    const bool depends = graph_.DependsOn(a, b);
    auto needs = [&](const Group* reader, const Group* of) {
      return absl::c_any_of(of->outputs, [&](auto* o) {
        return absl::c_linear_search(graph_.ConsumersOf(o).groups, reader) || Reaches(o, reader);
      });
    };
    REQUIRE(depends == needs(a, b));
    if (depends || needs(b, a)) return;
    for (HloInstruction* o : b->outputs)
      if (!absl::c_linear_search(a->outputs, o)) a->outputs.push_back(o);
    for (HloInstruction* m : b->members) {
      if (!a->contains(m)) a->members.push_back(m);
      a->accesses.emplace(m, Accesses());
    }
    graph_.Absorb(a, b);
    groups_.erase(groups_.begin() + static_cast<ptrdiff_t>(y));
  }

  // The same by all ways that there are.
  bool Reaches(const HloInstruction* from, const Group* target) {
    std::set<const HloInstruction*> given{from};
    std::vector<const HloInstruction*> stack{from};
    auto give = [&](const HloInstruction* i) {
      if (given.insert(i).second) stack.push_back(i);
    };
    while (!stack.empty()) {
      const HloInstruction* x = stack.back();
      stack.pop_back();
      for (const HloInstruction* u : x->users()) {
        if (!graph_.contains(u)) {
          give(u);
          continue;
        }
        for (const Group* g : graph_.GroupsOf(u)) {
          if (g->contains(x)) continue;
          if (g == target && x != from) return true;
          if (g != target) absl::c_for_each(g->outputs, give);
        }
      }
    }
    return false;
  }

  std::mt19937 random_;
  std::unique_ptr<HloModule> module_;
  RegionGraph graph_;
  std::vector<std::unique_ptr<Group>> groups_;
};

TEST_CASE("what regions need from one another is as a search through all of the graph says") {
  for (unsigned seed = 0; seed < 300; ++seed) RandomRegions(seed).Run();
}

}  // namespace
}  // namespace sinter::fusion
