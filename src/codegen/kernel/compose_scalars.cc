#include "codegen/kernel/compose_scalars.h"

#include <map>
#include <set>
#include <utility>

#include "codegen/kernel/stages.h"

namespace sinter::kernel {
namespace {

// What is known of a range of bytes: whether it can be an SSA value, and of which type.
struct Scalar {
  bool possible = true;
  std::optional<ElementType> elem;  // of the loads and stores; nothing: it is only copied
  // Where it is accessed: conditions are numbered, 0 is what stands in none.
  std::set<int> written_in, read_in;
};

class ScalarFinder {
 public:
  ScalarFinder(absl::Span<const ItemMemory> memory, const Items& items)
      : memory_(memory), scalars_(memory.size()) {
    std::map<int, int> ranges;
    for (const ItemMemory& m : memory) ++ranges[m.object];
    for (size_t m = 0; m < memory.size(); ++m)
      scalars_[m].possible = ranges[memory[m].object] == 1 && memory[m].bytes <= 8;
    Walk(items, 0);
    AgreeOnCopies();
    for (size_t m = 0; m < memory.size(); ++m) Judge(m);
    AgreeOnCopies();  // the types of what is only copied
  }

  // The element type of a memory that can be a value.
  std::optional<ElementType> TypeOf(size_t m) const {
    return scalars_[m].possible ? scalars_[m].elem : std::nullopt;
  }

 private:
  Scalar& Of(int m) { return scalars_[static_cast<size_t>(m)]; }

  void Walk(const Items& items, int condition) {
    for (const Item& item : items) {
      if (const auto* call = std::get_if<ItemKernel>(&item.op)) {
        Accesses(*call->kernel, call->kernel->top, MemoryOfBuffers(*call), condition);
      } else if (const auto* copy = std::get_if<ItemCopy>(&item.op)) {
        Of(copy->from).read_in.insert(condition);
        Of(copy->to).written_in.insert(condition);
        copies_.push_back({copy->from, copy->to});
      } else if (const auto* loop = std::get_if<ItemLoop>(&item.op)) {
        const int own = ++conditions_;
        Walk(loop->condition, own);
        Read(loop->predicate, ElementType::PRED, own);
        Walk(loop->body, condition);
      } else {
        const auto& choice = std::get<ItemChoice>(item.op);
        Read(choice.selector, choice.selector_is_predicate ? ElementType::PRED : ElementType::S32,
             condition);
        for (const Items& branch : choice.branches) Walk(branch, condition);
      }
    }
  }
  void Accesses(const Kernel& k, const Block& block, const std::vector<int>& memory_of,
                int condition) {
    for (const Op& op : block.ops) {
      for (const Block& region : op.regions) Accesses(k, region, memory_of, condition);
      if (op.buffer < 0 || memory_of[static_cast<size_t>(op.buffer)] < 0) continue;
      const int m = memory_of[static_cast<size_t>(op.buffer)];
      const bool load = op.code == OpCode::kLoad;
      const Type& type = k.type(load ? op.results[0] : op.operands[0]);
      if (!type.is_scalar() || op.masked || op.async) Of(m).possible = false;
      if (load) {
        Read(m, type.elem, condition);
      } else {
        IsOf(m, type.elem);
        Of(m).written_in.insert(condition);
      }
    }
  }
  void Read(int m, ElementType elem, int condition) {
    IsOf(m, elem);
    Of(m).read_in.insert(condition);
  }
  void IsOf(int m, ElementType elem) {
    Scalar& s = Of(m);
    if (s.elem && *s.elem != elem) s.possible = false;
    s.elem = elem;
  }

  void Judge(size_t m) {
    Scalar& s = scalars_[m];
    if (!s.elem) {
      switch (memory_[m].bytes) {
        case 1:
          s.elem = ElementType::U8;
          break;
        case 2:
          s.elem = ElementType::U16;
          break;
        case 4:
          s.elem = ElementType::U32;
          break;
        case 8:
          s.elem = ElementType::U64;
          break;
        default:
          s.possible = false;
          return;
      }
    }
    if (memory_[m].bytes != ByteWidth(*s.elem)) s.possible = false;
    // Values that a condition defines do not leave it.
    for (int c : s.written_in) {
      if (c == 0) continue;
      if (memory_[m].outside || s.written_in.size() > 1 || s.read_in.size() > 1 ||
          (s.read_in.size() == 1 && *s.read_in.begin() != c))
        s.possible = false;
    }
  }

  // What is copied from one to the other is of one type, or in memory.
  void AgreeOnCopies() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [from, to] : copies_) {
        Scalar &a = Of(from), &b = Of(to);
        if (a.elem.has_value() != b.elem.has_value()) {
          (a.elem ? b : a).elem = a.elem ? a.elem : b.elem;
          changed = true;
        } else if (a.possible && b.possible && a.elem != b.elem) {
          b.possible = false;
          changed = true;
        }
      }
    }
  }

  absl::Span<const ItemMemory> memory_;
  std::vector<Scalar> scalars_;  // by memory
  std::vector<std::pair<int, int>> copies_;
  int conditions_ = 0;
};

}  // namespace

std::vector<int> MemoryOfBuffers(const ItemKernel& item) {
  const std::vector<int> launch = LaunchBuffers(*item.kernel);
  std::vector<int> memory_of(item.kernel->buffers.size(), -1);
  for (size_t i = 0; i < launch.size(); ++i)
    memory_of[static_cast<size_t>(launch[i])] = item.memory[i];
  return memory_of;
}

std::vector<std::optional<ElementType>> ScalarsOf(absl::Span<const ItemMemory> memory,
                                                  const Items& items) {
  const ScalarFinder finder(memory, items);
  std::vector<std::optional<ElementType>> out;
  for (size_t m = 0; m < memory.size(); ++m) out.push_back(finder.TypeOf(m));
  return out;
}

}  // namespace sinter::kernel
