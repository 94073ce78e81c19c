#include "codegen/kernel/compose_columns.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "codegen/kernel/builder.h"
#include "codegen/kernel/columns.h"
#include "codegen/kernel/stages.h"

namespace sinter::kernel {
namespace {

// Loops of so few turns around loops over columns are written out.
constexpr int64_t kMostRows = 8;
// Rows that are values, all together, and those that loops carry.
constexpr size_t kMostRowValues = 64;
constexpr int64_t kMostState = 16;
// Blocks that there are at least where columns are many, for threads.
constexpr int64_t kLeastBlocks = 4;
// Rows that are fetched ahead of those being read (a recurrence over 2048 x 1024: 1.2 times as
// fast).
constexpr int64_t kRowsAhead = 4;

// A value as coefficient * j + constant, j the first column of the block.
struct Form {
  bool known = false, depends = false;
  int64_t coefficient = 0, constant = 0;
};

// Emits the kernel, and finds out what its memory is: of what is known by then, rows become values.
class Emitter {
 public:
  Emitter(Columns& columns, int64_t n, int64_t block)
      : columns_(columns),
        k_(columns.kernel()),
        n_(n),
        block_(block),
        b_(k_.name),
        values_(k_.types.size(), kNone) {}

  std::optional<Kernel> Run() {
    b_.kernel().lanes = k_.lanes;
    const Op* stage = nullptr;
    for (const Op& op : k_.top.ops) {
      if (op.code == OpCode::kFor) {
        stage = &op;
      } else {
        Copy(op);
      }
    }
    CopyBuffers();
    const int64_t whole = n_ / block_ * block_;
    if (whole > 0) Tasks(*stage, 0, whole, block_, Tail::kExact);
    const int64_t unit = k_.lanes;
    if (whole < n_) Tasks(*stage, whole, n_, (n_ - whole + unit - 1) / unit * unit, Tail::kMasked);
    for (const ColumnMemory& m : columns_.memory()) {
      if (!m.scalar || !m.written) continue;
      Scalars(*stage);
      break;
    }
    if (!possible_) return std::nullopt;
    return b_.Take();
  }

 private:
  // Copies of what stands in a block: inside of a loop over columns, or around them.
  enum class Where { kAround, kInside };

  bool Fail() { return possible_ = false; }
  Value& ValueOf(Value v) { return values_[static_cast<size_t>(v)]; }
  Values ValuesOf(const Values& vs) {
    Values out;
    for (Value v : vs) out.push_back(ValueOf(v));
    return out;
  }
  Form FormOf(Value v) const {
    int64_t n = 0;
    if (b_.IsInt(v, &n)) return {true, false, 0, n};
    auto it = forms_.find(v);
    return it == forms_.end() ? Form{} : it->second;
  }

  void CopyBuffers() {
    for (const Buffer& buffer : k_.buffers) {
      Buffer copy = buffer;
      copy.written = false;
      copy.shape = ValuesOf(buffer.shape);
      copy.strides = ValuesOf(buffer.strides);
      b_.kernel().buffers.push_back(std::move(copy));
    }
  }

  // --- tasks

  void Tasks(const Op& stage, int64_t lo, int64_t hi, int64_t step, Tail tail) {
    tile_ = static_cast<int>(step);
    scalars_ = false;
    b_.For(LoopKind::kPar, b_.Int(lo), b_.Int(hi), step, tail, {},
           [&](Value j, const Values&) -> Values {
             j_ = j;
             forms_[j] = {true, true, 1, 0};
             mask_ = tail == Tail::kExact
                         ? kNone
                         : b_.Mask(j, b_.Int(hi), {ElementType::PRED, 1, tile_}, Axis::kCols);
             Begin();
             ValueOf(stage.regions[0].args[0]) = b_.Int(0);
             Fill(stage.regions[0], 0);
             End();
             return {};
           });
  }
  // The scalars that the loops leave behind, computed once more: tasks only read them.
  void Scalars(const Op& stage) {
    scalars_ = true;
    slots_.clear();
    now_.clear();
    state_.clear();
    b_.For(LoopKind::kPar, b_.Int(0), b_.Int(1), 1, Tail::kExact, {},
           [&](Value, const Values&) -> Values {
             ValueOf(stage.regions[0].args[0]) = b_.Int(0);
             Fill(stage.regions[0], 0);
             return {};
           });
  }

  // --- rows in registers

  void Begin() {
    slots_.clear();
    now_.clear();
    state_.clear();
    for (size_t m = 0; m < columns_.memory().size(); ++m) {
      const ColumnMemory& memory = columns_.memory()[m];
      if (!memory.carried) continue;
      for (const auto& [row, of] : memory.rows) {
        const int buffer = of.buffer;
        slots_[{static_cast<int>(m), row}] = now_.size();
        if (of.state) state_.push_back(now_.size());
        const Type type{k_.buffers[static_cast<size_t>(buffer)].elem, 1, tile_};
        if (!IsOutside(memory, row)) {
          now_.push_back(b_.Splat(b_.Const(type.elem, 0), type));
          continue;
        }
        now_.push_back(b_.Load(buffer, PlaceOf(memory, row, buffer), type, mask_,
                               mask_ == kNone ? kNone : b_.Const(type.elem, 0)));
      }
    }
  }
  void End() {
    for (const auto& [of, slot] : slots_) {
      const ColumnMemory& memory = columns_.memory()[static_cast<size_t>(of.first)];
      const int buffer = memory.rows.at(of.second).buffer;
      if (IsOutside(memory, of.second))
        b_.Store(now_[slot], buffer, PlaceOf(memory, of.second, buffer), mask_);
    }
  }
  bool IsOutside(const ColumnMemory& m, int64_t row) const {
    return m.IsOutside(row * n_ * m.width, (row + 1) * n_ * m.width);
  }
  std::vector<Index> PlaceOf(const ColumnMemory& m, int64_t row, int buffer) {
    int64_t at = row * n_ - columns_.BeginOf(buffer) / m.width;
    std::vector<Index> index;
    for (Value stride : k_.buffers[static_cast<size_t>(buffer)].strides) {
      const int64_t s = *columns_.IntOf(stride);
      index.push_back({b_.Int(at / s), 0, 0});
      at %= s;
    }
    index.back().base = b_.Add(index.back().base, j_);
    index.back().cols = 1;
    return index;
  }

  // --- blocks

  // `depth`: of loops and branches around.
  void Fill(const Block& block, int depth) {
    for (const Op& op : block.ops) {
      if (!possible_) return;
      if (columns_.IsColumnLoop(op)) {
        if (!scalars_) ColumnLoop(op);
        continue;
      }
      switch (op.code) {
        case OpCode::kFor:
          Rows(op, depth);
          break;
        case OpCode::kWhile:
          While(op, depth);
          break;
        case OpCode::kIf:
          If(op, depth);
          break;
        default:
          depth_ = depth;
          Single(op, Where::kAround, static_cast<int>(n_));
      }
    }
  }

  void ColumnLoop(const Op& op) {
    const int64_t lo = *columns_.IntOf(op.operands[0]), hi = *columns_.IntOf(op.operands[1]);
    if (lo % n_ != 0 || hi / n_ - lo / n_ > kMostRows) {
      Fail();
      return;
    }
    for (int64_t at = lo; at < hi; at += n_) {
      const Value iv = b_.Add(b_.Int(at), j_);
      forms_[iv] = {true, true, 1, at};
      ValueOf(op.regions[0].args[0]) = iv;
      for (const Op& inner : op.regions[0].ops) {
        if (!possible_) return;
        Single(inner, Where::kInside, static_cast<int>(op.int_value));
      }
    }
  }

  void Rows(const Op& op, int depth) {
    const Form lo = FormOf(ValueOf(op.operands[0])), hi = FormOf(ValueOf(op.operands[1]));
    const bool known = lo.known && hi.known && !lo.depends && !hi.depends;
    if (op.operands.size() != 2 || !known || op.tail != Tail::kExact ||
        hi.constant - lo.constant > kMostRows * op.int_value) {
      Fail();
      return;
    }
    for (int64_t at = lo.constant; at < hi.constant; at += op.int_value) {
      ValueOf(op.regions[0].args[0]) = b_.Int(at);
      Fill(op.regions[0], depth);
    }
  }

  // The state of a loop: its own, then the rows that one turn hands on to the next.
  void Bind(const Values& to, const Values& values) {
    for (size_t i = 0; i < to.size(); ++i) ValueOf(to[i]) = values[i];
    for (size_t s = 0; s < state_.size(); ++s) now_[state_[s]] = values[to.size() + s];
  }
  Values WithState(Values values) const {
    for (size_t s : state_) values.push_back(now_[s]);
    return values;
  }
  bool OnlyScalars(const Values& vs) const {
    return std::all_of(vs.begin(), vs.end(), [&](Value v) { return k_.type(v).is_scalar(); });
  }

  void While(const Op& op, int depth) {
    if (!OnlyScalars(op.operands)) {
      Fail();
      return;
    }
    const Values before = now_;
    const std::set<std::pair<int, int64_t>> written = written_;
    const Values results = b_.While(
        WithState(ValuesOf(op.operands)),
        [&](const Values& state) -> Value {
          Bind(op.regions[0].args, state);
          Fill(op.regions[0], depth + 1);
          const Value go = ValueOf(op.regions[0].yield[0]);
          written_ = written;
          return possible_ ? go : b_.ConstInt(ElementType::PRED, 0);
        },
        [&](const Values& state) {
          now_ = before;
          Bind(op.regions[1].args, state);
          Fill(op.regions[1], depth + 1);
          written_ = written;
          return possible_ ? WithState(ValuesOf(op.regions[1].yield)) : state;
        });
    now_ = before;
    Bind(op.results, results);
  }
  void If(const Op& op, int depth) {
    if (!OnlyScalars(op.results)) {
      Fail();
      return;
    }
    const Values before = now_;
    std::set<std::pair<int, int64_t>> written[2] = {written_, written_};
    auto branch = [&](size_t which) {
      now_ = before;
      written_ = written[which];
      Fill(op.regions[which], depth + 1);
      written[which] = written_;
      Values out = ValuesOf(op.regions[which].yield);
      out.insert(out.end(), now_.begin(), now_.end());
      return out;
    };
    const Values results = b_.If(
        ValueOf(op.operands[0]), [&] { return branch(0); }, [&] { return branch(1); });
    if (!possible_) return;
    for (size_t i = 0; i < op.results.size(); ++i) ValueOf(op.results[i]) = results[i];
    for (size_t s = 0; s < now_.size(); ++s) now_[s] = results[op.results.size() + s];
    written_.clear();
    std::set_intersection(written[0].begin(), written[0].end(), written[1].begin(),
                          written[1].end(), std::inserter(written_, written_.end()));
  }

  // --- operations

  // `width`: of the tiles that become blocks of columns.
  void Single(const Op& op, Where where, int width) {
    const bool tiles = std::any_of(op.results.begin(), op.results.end(),
                                   [&](Value v) { return !k_.type(v).is_scalar(); }) ||
                       (op.code == OpCode::kStore && !k_.type(op.operands[0]).is_scalar());
    for (Value v : op.results) {
      const Type& type = k_.type(v);
      if (type.rows != 1 || (type.cols != 1 && type.cols != width)) {
        Fail();
        return;
      }
    }
    if (tiles && scalars_) return;
    switch (op.code) {
      case OpCode::kLoad:
      case OpCode::kStore:
        return Access(op, where, width, tiles);
      case OpCode::kMask:
        return Mask(op, where);
      case OpCode::kIota: {
        if (op.axis != Axis::kCols) Fail();
        Copy(op);
        if (where == Where::kAround && tiles) {
          Value& v = ValueOf(op.results[0]);
          v = b_.Add(v, b_.Convert(j_, b_.type(v).elem));
        }
        return;
      }
      case OpCode::kConst:
      case OpCode::kSplat:
        return Copy(op);
      default:
        if (!IsPointwise(op.code)) {
          Fail();
          return;
        }
        Copy(op);
        if (op.code == OpCode::kAnd && full_.count(ValueOf(op.operands[0])) &&
            full_.count(ValueOf(op.operands[1])))
          full_.insert(ValueOf(op.results[0]));
    }
  }

  void Copy(const Op& op) {
    if (op.code == OpCode::kConst) {
      const Type& type = k_.type(op.results[0]);
      if (type.is_scalar() && !IsFloat(type.elem)) {
        ValueOf(op.results[0]) = b_.ConstInt(type.elem, op.int_value);
        return;
      }
    }
    if (op.operands.size() == 2 && IsPointwise(op.code) && op.code != OpCode::kCmp &&
        k_.type(op.results[0]) == kIndexType) {
      const Value x = ValueOf(op.operands[0]), y = ValueOf(op.operands[1]);
      const Form a = FormOf(x), c = FormOf(y);
      const Value v = ValueOf(op.results[0]) = b_.Binary(op.code, x, y);
      if (FormOf(v).known) return;
      Form f{false, a.depends || c.depends, 0, 0};
      if (a.known && c.known && (op.code == OpCode::kAdd || op.code == OpCode::kSub)) {
        const int64_t sign = op.code == OpCode::kAdd ? 1 : -1;
        f = {true, f.depends, a.coefficient + sign * c.coefficient, a.constant + sign * c.constant};
      }
      forms_[v] = f;
      return;
    }
    std::vector<Type> types;
    bool depends = false;
    for (Value v : op.operands) depends |= FormOf(ValueOf(v)).depends;
    for (Value v : op.results) {
      types.push_back(k_.type(v));
      if (types.back().cols > 1) types.back().cols = tile_;
    }
    const Values results = b_.Copy(op, ValuesOf(op.operands), types, -1);
    for (size_t i = 0; i < results.size(); ++i) {
      ValueOf(op.results[i]) = results[i];
      forms_[results[i]] = {false, depends, 0, 0};
    }
  }

  void Mask(const Op& op, Where where) {
    const Type& type = k_.type(op.results[0]);
    if (op.axis != Axis::kCols || type.is_scalar()) {
      Fail();
      return;
    }
    Value base = ValueOf(op.operands[0]);
    const Value limit = ValueOf(op.operands[1]);
    const Form at = FormOf(base), end = FormOf(limit);
    if (where == Where::kAround) base = b_.Add(base, j_);
    const Value mask = b_.Mask(base, limit, {ElementType::PRED, 1, tile_}, Axis::kCols);
    ValueOf(op.results[0]) = mask;
    // The last block's own columns end where the loop does.
    const int64_t from = where == Where::kAround ? 0 : 1;
    if (at.known && end.known && !end.depends && at.coefficient == from &&
        at.constant + n_ <= end.constant)
      full_.insert(mask);
  }

  // The row that a tile is of, if it is one of columns j, j + 1 ...; -1: that is not known before
  // the kernel runs. Nothing where it is something else.
  std::optional<int64_t> RowOf(const Op& op, const Values& index, Where where) const {
    const Buffer& buffer = k_.buffers[static_cast<size_t>(op.buffer)];
    const size_t rank = buffer.shape.size();
    const int64_t row_bytes = n_ * ByteWidth(buffer.elem), begin = columns_.BeginOf(op.buffer);
    if (begin % row_bytes != 0) return std::nullopt;
    int64_t row = begin / row_bytes, dense = 1;
    for (size_t d = rank; d-- > 0;) {
      const std::optional<int64_t> extent = columns_.IntOf(buffer.shape[d]),
                                   stride = columns_.IntOf(buffer.strides[d]);
      if (!extent || stride != dense) return std::nullopt;
      dense *= *extent;
      const Form f = FormOf(index[d]);
      if (op.steps[d].rows != 0 && op.steps[d].cols == 0) return std::nullopt;
      if (d + 1 == rank) {
        const int64_t from = where == Where::kAround ? 0 : 1;
        if (op.steps[d].cols != 1 || !f.known || f.coefficient != from || f.constant % n_ != 0 ||
            *extent % n_ != 0)
          return std::nullopt;
        row += f.constant / n_;
        continue;
      }
      if (op.steps[d].cols != 0 || f.depends) return std::nullopt;
      if (!f.known) row = -1;
      if (row >= 0) row += f.constant * (*stride / n_);
    }
    return row;
  }

  void Access(const Op& op, Where where, int width, bool tiles) {
    const bool load = op.code == OpCode::kLoad;
    ColumnMemory& memory = columns_.MemoryOf(op.buffer);
    if (op.async) Fail();
    const size_t first = load ? 0 : 1,
                 rank = k_.buffers[static_cast<size_t>(op.buffer)].shape.size();
    Values index;
    for (size_t d = 0; d < rank; ++d) index.push_back(ValueOf(op.operands[first + d]));
    if (!tiles) {
      if (memory.written && depth_ > 0) Fail();
      memory.scalar = true;
      if (memory.written && memory.tiled) Fail();
      if (!load && !scalars_) return;
      if (op.masked) Fail();
      CopyAccess(op, ValuesOf(op.operands), false);
      return;
    }
    memory.tiled = true;
    Value mask = op.masked ? ValueOf(op.operands[first + rank]) : kNone;
    if (mask != kNone && full_.count(mask)) mask = kNone;
    const Type& type = k_.type(load ? op.results[0] : op.operands[0]);
    if (memory.written) {
      const std::optional<int64_t> row = RowOf(op, index, where);
      if (!row || memory.scalar || type.cols != width) {
        Fail();
        return;
      }
      // Columns of elements of another width are other bytes.
      const int bytes = ByteWidth(type.elem);
      if (memory.width != 0 && memory.width != bytes) Fail();
      memory.width = bytes;
      if (*row < 0 || mask != kNone) memory.rows_known = false;
      if (*row >= 0) Note(memory, {columns_.NumberOf(op.buffer), *row}, op);
      if (const auto slot = slots_.find({columns_.NumberOf(op.buffer), *row}); slot != slots_.end())
        return AccessSlot(op, slot->second);
    } else if (!load) {
      Fail();
      return;
    }
    // Operands: what is stored, the indices, the mask, what masked-off lanes read.
    Values operands;
    if (!load) operands.push_back(ValueOf(op.operands[0]));
    for (size_t d = 0; d < rank; ++d) {
      Value base = index[d];
      if (where == Where::kAround && op.steps[d].cols != 0) {
        base = b_.Add(base, b_.Mul(j_, b_.Int(op.steps[d].cols)));
      }
      operands.push_back(base);
    }
    Value other = load && op.masked ? ValueOf(op.operands[first + rank + 1]) : kNone;
    if (mask_ != kNone) mask = mask == kNone ? mask_ : b_.And(mask, mask_);
    if (mask != kNone) {
      operands.push_back(mask);
      if (load) operands.push_back(other == kNone ? b_.Const(type.elem, 0) : other);
    }
    CopyAccess(op, operands, mask != kNone);
  }
  void Note(ColumnMemory& memory, std::pair<int, int64_t> row, const Op& op) {
    ColumnMemory::Row& of = memory.rows[row.second];
    if (of.buffer < 0) of.buffer = op.buffer;
    if (op.code == OpCode::kStore) written_.insert(row);
    of.state |= !written_.contains(row) || IsOutside(memory, row.second);
  }
  void CopyAccess(const Op& op, const Values& operands, bool masked) {
    Op copy = op;
    copy.masked = masked;
    std::vector<Type> types;
    bool depends = false;
    for (Value v : operands) depends |= FormOf(v).depends;
    for (Value v : op.results) {
      types.push_back(k_.type(v));
      if (types.back().cols > 1) types.back().cols = tile_;
    }
    if (op.code == OpCode::kLoad && !types[0].is_scalar() && copy.int_value == 0)
      copy.int_value = AheadOf(op, operands);
    const Values results = b_.Copy(copy, operands, types, op.buffer);
    for (size_t i = 0; i < results.size(); ++i) {
      ValueOf(op.results[i]) = results[i];
      forms_[results[i]] = {false, depends, 0, 0};
    }
  }
  // Rows that turns read one after the other.
  int64_t AheadOf(const Op& op, const Values& operands) const {
    const Buffer& buffer = k_.buffers[static_cast<size_t>(op.buffer)];
    for (size_t d = 0; d + 1 < buffer.shape.size(); ++d) {
      if (!FormOf(operands[d]).known)
        return kRowsAhead * columns_.IntOf(buffer.strides[d]).value_or(0);
    }
    return 0;
  }
  // The same bytes as another type: copies move words of their own. A PRED is a bit in registers,
  // and 0 or 1 in memory.
  Value As(Value v, ElementType elem) {
    const bool is_bit = b_.type(v).elem == ElementType::PRED || elem == ElementType::PRED;
    return is_bit ? b_.Convert(v, elem) : b_.Bitcast(v, elem);
  }
  void AccessSlot(const Op& op, size_t slot) {
    const ElementType own = b_.type(now_[slot]).elem;
    if (op.code == OpCode::kLoad) {
      const ElementType elem = k_.type(op.results[0]).elem;
      ValueOf(op.results[0]) = As(now_[slot], elem);
      return;
    }
    Value v = ValueOf(op.operands[0]);
    v = As(v, own);
    if (b_.type(v).cols == 1 && tile_ > 1) v = b_.Splat(v, WithElem(b_.type(now_[slot]), own));
    now_[slot] = v;
  }

  Columns& columns_;
  const Kernel& k_;
  const int64_t n_, block_;
  Builder b_;
  bool possible_ = true;
  bool scalars_ = false;  // only scalars are emitted
  int tile_ = 0, depth_ = 0;
  Value j_ = kNone, mask_ = kNone;  // the first column of a task; those that there are
  std::vector<Value> values_;
  std::map<Value, Form> forms_;
  std::set<Value> full_;                             // masks that are all true
  std::map<std::pair<int, int64_t>, size_t> slots_;  // of a memory's row
  Values now_;
  std::vector<size_t> state_;                  // the slots that loops carry
  std::set<std::pair<int, int64_t>> written_;  // rows, in this turn
};

}  // namespace

std::optional<Kernel> ByColumns(const Composed& composed, absl::Span<const ItemMemory> memory,
                                int vector_registers) {
  Columns columns(composed, memory);
  const int64_t n = columns.Count(composed.kernel.top);
  const int64_t lanes = composed.kernel.lanes;
  if (n < lanes || !Emitter(columns, n, lanes).Run()) return std::nullopt;
  // Rows become values where all of a memory's are known, as long as registers last.
  int64_t state = 0;
  size_t rows = 0;
  for (ColumnMemory& m : columns.memory()) {
    if (!m.written || !m.tiled || !m.rows_known || rows + m.rows.size() > kMostRowValues) continue;
    m.carried = true;
    rows += m.rows.size();
    for (const auto& [at, row] : m.rows) state += row.state;
  }
  if (rows == 0 || state > kMostState) return std::nullopt;
  // Half of the registers hold what loops carry, and what is between rows has as much.
  const int64_t most = vector_registers / 2, all = static_cast<int64_t>(rows);
  int64_t wide = 1;
  while (2 * wide * state <= most && wide * all <= most && 2 * wide * lanes * kLeastBlocks <= n)
    wide *= 2;
  return Emitter(columns, n, wide * lanes).Run();
}

}  // namespace sinter::kernel
