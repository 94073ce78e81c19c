#include "fuzz/reduce.h"

#include <algorithm>

#include "fuzz/extents.h"

namespace sinter::fuzz {
namespace {

class Reducer {
 public:
  Reducer(Program program, const std::function<bool(const Program&)>& fails, int attempts)
      : best_(std::move(program)), fails_(fails), attempts_(attempts) {}

  Program Run() {
    for (bool changed = true; changed && attempts_ > 0;) {
      changed = DropResults();
      for (size_t f = best_.functions.size(); f-- > 0;) changed |= ReplaceNodes(f);
      changed |= DropParameters();
      changed |= ShrinkExtents();
    }
    return best_;
  }

 private:
  bool Try(Program candidate) {
    if (attempts_-- <= 0 || !fails_(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool DropResults() {
    bool changed = false;
    if (best_.entry().results.size() > 1) {
      for (int r : std::vector<int>(best_.entry().results)) {
        Program one = best_;
        one.entry().results = {r};
        if (Try(one)) {
          changed = true;
          break;
        }
      }
    }
    for (size_t i = best_.entry().results.size(); i-- > 0 && best_.entry().results.size() > 1;) {
      Program less = best_;
      less.entry().results.erase(less.entry().results.begin() + static_cast<std::ptrdiff_t>(i));
      changed |= Try(less);
    }
    if (best_.entry().results.size() == 1 && best_.entry().tuple) {
      Program plain = best_;
      plain.entry().tuple = false;
      changed |= Try(plain);
    }
    // The result's operands instead of it.
    if (best_.entry().results.size() == 1) {
      const Node root = best_.entry().nodes[static_cast<size_t>(best_.entry().results[0])];
      for (int o : root.operands) {
        if (!best_.entry().nodes[static_cast<size_t>(o)].is_array()) continue;
        Program up = best_;
        up.entry().results = {o};
        if (Try(up)) return true;
      }
    }
    return changed;
  }

  bool ReplaceNodes(size_t f) {
    bool changed = false;
    bool entry = f + 1 == best_.functions.size();
    for (size_t i = best_.functions[f].nodes.size(); i-- > 0;) {
      std::vector<bool> live = Live(best_.functions[f]);
      if (!live[i]) continue;
      const Node node = best_.functions[f].nodes[i];
      if (!node.is_array() || node.op == "parameter" || node.op == "constant") continue;
      bool replaced = false;
      for (int o : node.operands) {
        const Node& other = best_.functions[f].nodes[static_cast<size_t>(o)];
        if (!other.is_array() || other.type != node.type || other.dims != node.dims) continue;
        Program candidate = best_;
        for (Node& n : candidate.functions[f].nodes)
          std::replace(n.operands.begin(), n.operands.end(), static_cast<int>(i), o);
        std::replace(candidate.functions[f].results.begin(), candidate.functions[f].results.end(),
                     static_cast<int>(i), o);
        replaced = Try(candidate);
        if (replaced) break;
      }
      if (!replaced && entry) {
        Program candidate = best_;
        Node& n = candidate.entry().nodes[i];
        n.op = "parameter";
        n.operands.clear();
        n.called.clear();
        n.attributes.clear();
        n.facts.exact = true;
        auto& parameters = candidate.entry().parameters;
        parameters.push_back(static_cast<int>(i));
        replaced = Try(candidate);
      }
      changed |= replaced;
    }
    return changed;
  }

  bool DropParameters() {
    bool changed = false;
    for (size_t p = best_.entry().parameters.size(); p-- > 0;) {
      int id = best_.entry().parameters[p];
      Program candidate = best_;
      candidate.entry().parameters.erase(candidate.entry().parameters.begin() +
                                         static_cast<std::ptrdiff_t>(p));
      if (Live(candidate.entry())[static_cast<size_t>(id)]) continue;
      changed |= Try(candidate);
    }
    return changed;
  }

  bool ShrinkExtents() {
    bool changed = false;
    for (int64_t extent : Extents(best_)) {
      for (int64_t to : {int64_t{1}, int64_t{2}, extent / 2, extent - 1}) {
        if (to < 1 || to >= extent) continue;
        auto smaller = WithExtent(best_, extent, to);
        if (smaller && Try(*std::move(smaller))) {
          changed = true;
          break;
        }
      }
    }
    return changed;
  }

  Program best_;
  const std::function<bool(const Program&)>& fails_;
  int attempts_;
};

}  // namespace

Program Reduce(Program program, const std::function<bool(const Program&)>& fails,
               int most_attempts) {
  return Reducer(std::move(program), fails, most_attempts).Run();
}

}  // namespace sinter::fuzz
