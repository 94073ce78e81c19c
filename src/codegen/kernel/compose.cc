#include "codegen/kernel/compose.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/compose_scalars.h"

namespace sinter::kernel {
namespace {

int64_t CountOf(const Block& block) {
  int64_t n = 0;
  for (const Op& op : block.ops) {
    ++n;
    for (const Block& region : op.regions) n += CountOf(region);
  }
  return n;
}

class Composer {
 public:
  Composer(std::string name, absl::Span<const ItemMemory> memory, const Items& items)
      : memory_(memory),
        items_(items),
        b_(std::move(name)),
        slot_of_(memory.size(), -1),
        width_of_(memory.size(), 0) {
    NoteWidths(items);
    const std::vector<std::optional<ElementType>> scalars = ScalarsOf(memory, items);
    for (size_t m = 0; m < memory.size(); ++m) {
      if (const auto elem = scalars[m]) {
        slot_of_[m] = static_cast<int>(slots_.size());
        slots_.push_back({static_cast<int>(m), *elem});
      }
    }
  }

  std::optional<Composed> Run() {
    b_.kernel().lanes = 1;
    const Value begin = b_.Int(0), end = b_.Int(1);
    b_.For(LoopKind::kPar, begin, end, 1, Tail::kExact, {}, [&](Value, const Values&) -> Values {
      for (const Slot& s : slots_) now_.push_back(Begin(s));
      Add(items_);
      const std::set<int> written = WrittenBy(items_);
      for (int s : written) {
        const Slot& slot = slots_[static_cast<size_t>(s)];
        if (memory_[static_cast<size_t>(slot.memory)].outside)
          b_.Store(now_[static_cast<size_t>(s)], ScalarBuffer(slot), {{b_.Int(0)}});
      }
      return {};
    });
    if (!possible_) return std::nullopt;
    Composed out;
    std::map<int, int> views;  // of each group
    for (int m : memory_of_buffer_)
      if (m >= 0) ++views[memory_[static_cast<size_t>(m)].group];
    for (size_t i = 0; i < memory_of_buffer_.size(); ++i) {
      const int m = memory_of_buffer_[i];
      if (m < 0) continue;
      const int group = memory_[static_cast<size_t>(m)].group;
      if (views[group] > 1) b_.kernel().buffers[i].alias_group = group;
      out.arguments.push_back(m);
    }
    out.kernel = b_.Take();
    return out;
  }

 private:
  struct Slot {
    int memory = 0;
    ElementType elem{};
  };
  // A kernel being added: what its values and buffers have become.
  struct Call {
    const Kernel& kernel;
    std::vector<int> memory;  // of each buffer
    std::vector<Value> values;
    std::vector<int> buffers;  // -1: a slot, or of no use
    std::vector<int> slots;    // -1: a buffer
  };

  Value Begin(const Slot& s) {
    if (!memory_[static_cast<size_t>(s.memory)].outside) return b_.Const(s.elem, 0);
    return b_.Load(ScalarBuffer(s), {{b_.Int(0)}}, {s.elem});
  }
  int ScalarBuffer(const Slot& s) { return MemoryBuffer(s.memory, s.elem, {1}, {1}); }

  // --- items

  void Add(const Items& items) {
    for (const Item& item : items) {
      std::visit([&](const auto& op) { Add(op); }, item.op);
    }
  }

  void Add(const ItemKernel& item) {
    const Kernel& k = *item.kernel;
    if (!k.params.empty() || k.warps != 0) {
      possible_ = false;
      return;
    }
    b_.kernel().lanes = std::max(b_.kernel().lanes, k.lanes);
    Call call{k, MemoryOfBuffers(item), std::vector<Value>(k.types.size(), kNone),
              std::vector<int>(k.buffers.size(), -1), std::vector<int>(k.buffers.size(), -1)};
    // Index arithmetic of the top stands before the buffers' shapes are needed.
    for (const Op& op : k.top.ops)
      if (op.code != OpCode::kFor) Copy(call, op);
    Buffers(call);
    if (!possible_) return;
    for (const Op& op : k.top.ops)
      if (op.code == OpCode::kFor) Stage(call, op);
  }

  void Add(const ItemCopy& item) {
    const auto from = static_cast<size_t>(item.from), to = static_cast<size_t>(item.to);
    if (slot_of_[from] >= 0 && slot_of_[to] >= 0) {
      NowOf(slot_of_[to]) = NowOf(slot_of_[from]);
    } else if (slot_of_[to] >= 0) {
      const ElementType elem = slots_[static_cast<size_t>(slot_of_[to])].elem;
      NowOf(slot_of_[to]) = b_.Load(MemoryBuffer(item.from, elem, {1}, {1}), {{b_.Int(0)}}, {elem});
    } else if (slot_of_[from] >= 0) {
      const ElementType elem = slots_[static_cast<size_t>(slot_of_[from])].elem;
      b_.Store(NowOf(slot_of_[from]), MemoryBuffer(item.to, elem, {1}, {1}), {{b_.Int(0)}});
    } else {
      CopyBytes(item);
    }
  }
  // The unsigned type whose elements are as wide as those that kernels see there.
  ElementType CopiedAs(const ItemCopy& item, int64_t bytes) const {
    for (int m : {item.from, item.to}) {
      for (ElementType t : {ElementType::U64, ElementType::U32, ElementType::U16, ElementType::U8})
        if (ByteWidth(t) == width_of_[static_cast<size_t>(m)] && bytes % ByteWidth(t) == 0)
          return t;
    }
    return bytes % 4 == 0 ? ElementType::U32 : ElementType::U8;
  }
  // Bytes of an element of each memory, as the first kernel that names it has them.
  void NoteWidths(const Items& items) {
    for (const Item& item : items) {
      if (const auto* call = std::get_if<ItemKernel>(&item.op)) {
        const std::vector<int> memory_of = MemoryOfBuffers(*call);
        for (size_t i = 0; i < memory_of.size(); ++i) {
          if (memory_of[i] < 0) continue;
          int& width = width_of_[static_cast<size_t>(memory_of[i])];
          if (width == 0) width = ByteWidth(call->kernel->buffers[i].elem);
        }
      } else if (const auto* loop = std::get_if<ItemLoop>(&item.op)) {
        NoteWidths(loop->condition);
        NoteWidths(loop->body);
      } else if (const auto* choice = std::get_if<ItemChoice>(&item.op)) {
        for (const Items& branch : choice->branches) NoteWidths(branch);
      }
    }
  }
  void CopyBytes(const ItemCopy& item) {
    const int64_t bytes = memory_[static_cast<size_t>(item.from)].bytes;
    const ElementType elem = CopiedAs(item, bytes);
    const int64_t n = bytes / ByteWidth(elem);
    const int from = MemoryBuffer(item.from, elem, {n}, {1}),
              to = MemoryBuffer(item.to, elem, {n}, {1});
    constexpr int kTile = 16;
    b_.For(LoopKind::kSeq, b_.Int(0), b_.Int(n), kTile, n % kTile == 0 ? Tail::kExact : Tail::kPeel,
           {}, [&](Value at, const Values&) -> Values {
             const Type type{elem, 1, kTile};
             const Value mask =
                 n % kTile == 0
                     ? kNone
                     : b_.Mask(at, b_.Int(n), WithElem(type, ElementType::PRED), Axis::kCols);
             const Value x = b_.Load(from, {{at, 0, 1}}, type, mask,
                                     mask == kNone ? kNone : b_.ConstInt(elem, 0));
             b_.Store(x, to, {{at, 0, 1}}, mask);
             return {};
           });
  }

  void Add(const ItemLoop& item) {
    const std::set<int> written = WrittenBy(item.body);
    const Values results = b_.While(
        NowOf(written),
        [&](const Values& state) -> Value {
          const Values before = now_;
          SetNow(written, state, 0);
          Add(item.condition);
          const Value go = Read(item.predicate, ElementType::PRED);
          now_ = before;
          return go;
        },
        [&](const Values& state) {
          SetNow(written, state, 0);
          Add(item.body);
          return NowOf(written);
        });
    SetNow(written, results, 0);
  }

  void Add(const ItemChoice& item) {
    std::set<int> written;
    for (const Items& branch : item.branches) written.merge(WrittenBy(branch));
    const Value selector =
        Read(item.selector, item.selector_is_predicate ? ElementType::PRED : ElementType::S32);
    Choose(item, selector, written, 0);
  }
  void Choose(const ItemChoice& item, Value selector, const std::set<int>& written, size_t branch) {
    if (branch + 1 == item.branches.size()) return Add(item.branches[branch]);
    const Value is_it =
        item.selector_is_predicate
            ? selector
            : b_.Compare(Predicate::kEq, selector,
                         b_.ConstInt(ElementType::S32, static_cast<int64_t>(branch)));
    const Values before = now_;
    const Values results = b_.If(
        is_it,
        [&] {
          Add(item.branches[branch]);
          Values out = NowOf(written);
          now_ = before;
          return out;
        },
        [&] {
          Choose(item, selector, written, branch + 1);
          Values out = NowOf(written);
          now_ = before;
          return out;
        });
    SetNow(written, results, 0);
  }

  Value Read(int m, ElementType elem) {
    const int slot = slot_of_[static_cast<size_t>(m)];
    if (slot >= 0) return NowOf(slot);
    return b_.Load(MemoryBuffer(m, elem, {1}, {1}), {{b_.Int(0)}}, {elem});
  }

  // The slots that items store to.
  std::set<int> WrittenBy(const Items& items) {
    std::set<int> out;
    auto add = [&](int m) {
      if (const int slot = slot_of_[static_cast<size_t>(m)]; slot >= 0) out.insert(slot);
    };
    for (const Item& item : items) {
      if (const auto* call = std::get_if<ItemKernel>(&item.op)) {
        const std::vector<int> memory_of = MemoryOfBuffers(*call);
        for (size_t i = 0; i < memory_of.size(); ++i)
          if (memory_of[i] >= 0 && call->kernel->buffers[i].written) add(memory_of[i]);
      } else if (const auto* copy = std::get_if<ItemCopy>(&item.op)) {
        add(copy->to);
      } else if (const auto* loop = std::get_if<ItemLoop>(&item.op)) {
        out.merge(WrittenBy(loop->body));
      } else {
        for (const Items& branch : std::get<ItemChoice>(item.op).branches)
          out.merge(WrittenBy(branch));
      }
    }
    return out;
  }

  // --- buffers

  // Buffers of what the call's kernel names, where no slot stands for it.
  void Buffers(Call& call) {
    std::map<std::tuple<ElementType, std::vector<int64_t>, std::vector<int64_t>>, int> task_uses;
    for (size_t i = 0; i < call.kernel.buffers.size(); ++i) {
      const Buffer& buffer = call.kernel.buffers[i];
      std::vector<int64_t> shape, strides;
      if (!Constants(call, buffer.shape, shape) || !Constants(call, buffer.strides, strides)) {
        possible_ = false;
        return;
      }
      if (buffer.space == Space::kTask) {
        // One kernel after the other uses the same memory.
        const int use = task_uses[{buffer.elem, shape, strides}]++;
        auto [it, is_new] = task_.try_emplace({buffer.elem, shape, strides, use}, 0);
        if (is_new) it->second = NewBuffer(buffer.elem, shape, strides, Space::kTask, -1);
        call.buffers[i] = it->second;
      } else if (buffer.space == Space::kConstant) {
        auto [it, is_new] = constant_.try_emplace({&call.kernel, i}, 0);
        if (is_new) {
          it->second = NewBuffer(buffer.elem, shape, strides, Space::kConstant, -1);
          b_.kernel().buffers.back().data = buffer.data;
        }
        call.buffers[i] = it->second;
      } else {
        const int m = call.memory[i];
        if (slot_of_[static_cast<size_t>(m)] >= 0) {
          call.slots[i] = slot_of_[static_cast<size_t>(m)];
        } else {
          call.buffers[i] = MemoryBuffer(m, buffer.elem, shape, strides);
        }
      }
    }
  }
  bool Constants(const Call& call, const Values& values, std::vector<int64_t>& out) {
    for (Value v : values) {
      int64_t n = 0;
      const Value own = call.values[static_cast<size_t>(v)];
      if (own == kNone || !b_.IsInt(own, &n)) return false;
      out.push_back(n);
    }
    return true;
  }
  int MemoryBuffer(int m, ElementType elem, const std::vector<int64_t>& shape,
                   const std::vector<int64_t>& strides) {
    auto [it, is_new] = views_.try_emplace({m, elem, shape, strides}, 0);
    if (is_new) it->second = NewBuffer(elem, shape, strides, Space::kArgument, m);
    return it->second;
  }
  int NewBuffer(ElementType elem, const std::vector<int64_t>& shape,
                const std::vector<int64_t>& strides, Space space, int m) {
    std::vector<Value> extents, steps;
    for (int64_t n : shape) extents.push_back(b_.Int(n));
    for (int64_t n : strides) steps.push_back(b_.Int(n));
    memory_of_buffer_.push_back(m);
    const char* name = space == Space::kTask ? "t" : space == Space::kConstant ? "c" : "m";
    return b_.AddBuffer(Format("{}{}", name, memory_of_buffer_.size() - 1), elem, extents, space,
                        steps);
  }

  // --- operations

  void Stage(Call& call, const Op& op) {
    int64_t lo = 0, hi = 0;
    const Value begin = ValueOf(call, op.operands[0]), end = ValueOf(call, op.operands[1]);
    if (b_.IsInt(begin, &lo) && b_.IsInt(end, &hi)) {
      if (lo >= hi) return;
      if (hi - lo <= op.int_value) {  // one task
        ValueOf(call, op.regions[0].args[0]) = begin;
        for (const Op& inner : op.regions[0].ops) Copy(call, inner);
        return;
      }
    }
    For(call, op);
  }

  Value& ValueOf(Call& call, Value v) { return call.values[static_cast<size_t>(v)]; }
  Values ValuesOf(Call& call, const Values& values, size_t from = 0) {
    Values out;
    for (size_t i = from; i < values.size(); ++i) out.push_back(ValueOf(call, values[i]));
    return out;
  }
  void Bind(Call& call, const Values& values, const Values& to, size_t from = 0) {
    for (size_t i = from; i < values.size(); ++i) ValueOf(call, values[i]) = to[i - from];
  }

  void Copy(Call& call, const Op& op) {
    if (op.buffer >= 0 && call.slots[static_cast<size_t>(op.buffer)] >= 0) {
      Value& now = NowOf(call.slots[static_cast<size_t>(op.buffer)]);
      if (op.code == OpCode::kLoad) {
        ValueOf(call, op.results[0]) = now;
      } else {
        now = ValueOf(call, op.operands[0]);
      }
      return;
    }
    switch (op.code) {
      case OpCode::kConst: {
        const Type& type = call.kernel.type(op.results[0]);
        if (type.is_scalar() && !IsFloat(type.elem)) {
          ValueOf(call, op.results[0]) = b_.ConstInt(type.elem, op.int_value);
          return;
        }
        break;
      }
      case OpCode::kFor:
        return For(call, op);
      case OpCode::kWhile:
        return While(call, op);
      case OpCode::kIf:
        return If(call, op);
      case OpCode::kReduce:
        return Reduce(call, op);
      default:
        break;
    }
    if (op.operands.size() == 2 && IsPointwise(op.code) && op.code != OpCode::kCmp &&
        call.kernel.type(op.results[0]) == kIndexType) {
      // Folds where the number of a task has become a constant.
      ValueOf(call, op.results[0]) =
          b_.Binary(op.code, ValueOf(call, op.operands[0]), ValueOf(call, op.operands[1]));
      return;
    }
    std::vector<Type> types;
    for (Value v : op.results) types.push_back(call.kernel.type(v));
    const int buffer = op.buffer < 0 ? -1 : call.buffers[static_cast<size_t>(op.buffer)];
    Bind(call, op.results, b_.Copy(op, ValuesOf(call, op.operands), types, buffer));
  }

  void For(Call& call, const Op& op) {
    const Block& block = op.regions[0];
    const std::set<int> written = WrittenBy(call, op);
    Values init = ValuesOf(call, op.operands, 2);
    const size_t own = init.size();
    Append(init, NowOf(written));
    const LoopKind kind = op.loop == LoopKind::kPar ? LoopKind::kSeq : op.loop;
    const Values results =
        b_.For(kind, ValueOf(call, op.operands[0]), ValueOf(call, op.operands[1]), op.int_value,
               op.tail, init, [&](Value iv, const Values& carries) {
                 ValueOf(call, block.args[0]) = iv;
                 Bind(call, block.args, carries, 1);
                 SetNow(written, carries, own);
                 return Fill(call, block, written);
               });
    Bind(call, op.results, results);
    SetNow(written, results, own);
  }
  void While(Call& call, const Op& op) {
    const Block &test = op.regions[0], &body = op.regions[1];
    const std::set<int> written = WrittenBy(call, op);
    Values init = ValuesOf(call, op.operands);
    const size_t own = init.size();
    Append(init, NowOf(written));
    const Values results = b_.While(
        init,
        [&](const Values& state) -> Value {
          const Values before = now_;
          Bind(call, test.args, state);
          SetNow(written, state, own);
          for (const Op& inner : test.ops) Copy(call, inner);
          now_ = before;
          return ValueOf(call, test.yield[0]);
        },
        [&](const Values& state) {
          Bind(call, body.args, state);
          SetNow(written, state, own);
          return Fill(call, body, written);
        });
    Bind(call, op.results, results);
    SetNow(written, results, own);
  }
  void If(Call& call, const Op& op) {
    const std::set<int> written = WrittenBy(call, op);
    const Values before = now_;
    auto branch = [&](const Block& block) {
      Values out = Fill(call, block, written);
      now_ = before;
      return out;
    };
    const Values results = b_.If(
        ValueOf(call, op.operands[0]), [&] { return branch(op.regions[0]); },
        [&] { return branch(op.regions[1]); });
    Bind(call, op.results, results);
    SetNow(written, results, op.results.size());
  }
  void Reduce(Call& call, const Op& op) {
    const Block& block = op.regions[0];
    Bind(call, op.results,
         b_.Reduce(ValuesOf(call, op.operands), op.axis, [&](const Values& a, const Values& b) {
           for (size_t i = 0; i < a.size(); ++i) {
             ValueOf(call, block.args[i]) = a[i];
             ValueOf(call, block.args[a.size() + i]) = b[i];
           }
           for (const Op& inner : block.ops) Copy(call, inner);
           return ValuesOf(call, block.yield);
         }));
  }
  // A region's operations; what it yields, and the slots.
  Values Fill(Call& call, const Block& block, const std::set<int>& written) {
    for (const Op& inner : block.ops) Copy(call, inner);
    Values out = ValuesOf(call, block.yield);
    Append(out, NowOf(written));
    return out;
  }

  // The slots that an operation's regions store to.
  std::set<int> WrittenBy(const Call& call, const Op& op) {
    std::set<int> out;
    for (const Block& region : op.regions) {
      for (const Op& inner : region.ops) {
        if (inner.code == OpCode::kStore && call.slots[static_cast<size_t>(inner.buffer)] >= 0)
          out.insert(call.slots[static_cast<size_t>(inner.buffer)]);
        out.merge(WrittenBy(call, inner));
      }
    }
    return out;
  }

  // --- slots

  Value& NowOf(int slot) { return now_[static_cast<size_t>(slot)]; }
  Values NowOf(const std::set<int>& slots) {
    Values out;
    for (int s : slots) out.push_back(NowOf(s));
    return out;
  }
  void SetNow(const std::set<int>& slots, const Values& values, size_t from) {
    for (int s : slots) NowOf(s) = values[from++];
  }
  static void Append(Values& to, const Values& values) {
    to.insert(to.end(), values.begin(), values.end());
  }

  absl::Span<const ItemMemory> memory_;
  const Items& items_;
  Builder b_;
  bool possible_ = true;
  std::vector<Slot> slots_;
  std::vector<int> slot_of_;           // by memory; -1: it stays memory
  std::vector<int> width_of_;          // by memory; 0: no kernel names it
  Values now_;                         // the value of each slot, at the insertion point
  std::vector<int> memory_of_buffer_;  // -1: none from outside
  using View = std::tuple<int, ElementType, std::vector<int64_t>, std::vector<int64_t>>;
  std::map<View, int> views_;
  std::map<std::tuple<ElementType, std::vector<int64_t>, std::vector<int64_t>, int>, int> task_;
  std::map<std::pair<const Kernel*, size_t>, int> constant_;
};

}  // namespace

std::optional<Composed> Compose(std::string name, absl::Span<const ItemMemory> memory,
                                const Items& items) {
  return Composer(std::move(name), memory, items).Run();
}

int64_t OperationCount(const Kernel& kernel) { return CountOf(kernel.top); }
int64_t OperationCount(const Op& stage) { return 1 + CountOf(stage.regions[0]); }

}  // namespace sinter::kernel
