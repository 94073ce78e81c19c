#include "codegen/emit/gemm.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "codegen/emit/elementwise.h"
#include "codegen/plan/gemm.h"

namespace sinter::emit {
namespace {

using kernel::kNone;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

class GemmEmitter {
 public:
  // `suffix`: of the names of its buffers.
  GemmEmitter(Region& region, const HloInstruction* dot, const plan::GemmBlocks& blocks,
              std::string suffix = "")
      : region_(region),
        b_(region.b()),
        g_(blocks),
        dot_(dot),
        suffix_(std::move(suffix)),
        product_(*plan::PackedProduct(*dot_)),
        m_(product_.m),
        n_(product_.n),
        k_((product_.k + g_.word - 1) / g_.word),
        depth_((g_.depth + g_.word - 1) / g_.word) {
    sum_ = ComputedIn(dot_->shape().element_type());
    elem_[0] = elem_[1] = packed_[0] = packed_[1] = g_.exact_in_f32 ? ElementType::F32 : sum_;
    if (g_.word > 1) SetWords();
    panels_ = (n_ + g_.cols - 1) / g_.cols;
    slices_ = (k_ + depth_ - 1) / depth_;
    height_ = std::min<int64_t>(g_.height, (m_ + g_.rows - 1) / g_.rows * g_.rows);
  }

  void Emit() {
    const int64_t width = (panels_ + g_.bands - 1) / g_.bands,
                  bands = (panels_ + width - 1) / width, batches = product_.batches();
    // Whole register tiles.
    const int64_t part = ((m_ + g_.parts - 1) / g_.parts + g_.rows - 1) / g_.rows * g_.rows,
                  parts = (m_ + part - 1) / part;
    // The packed bands of one product are contiguous; of many products there are more tasks than
    // memory is allocated for, and parts pack the same.
    own_panels_ = batches > 1 || parts > 1;
    AddBuffers(own_panels_ ? width : panels_);
    region_.Loop(
        LoopKind::kPar, Int(0), Int(batches * bands * parts), 1, Tail::kExact, {},
        [&](Value t, const Values&) {
          Value lo = Int(0), hi = Int(m_);
          if (parts > 1) {
            lo = Op(OpCode::kMul, Op(OpCode::kRem, t, Int(parts)), Int(part));
            hi = Op(OpCode::kMin, Add(lo, Int(part)), Int(m_));
            t = Op(OpCode::kDiv, t, Int(parts));
          }
          Value band = batches == 1 ? t : bands == 1 ? Int(0) : Op(OpCode::kRem, t, Int(bands));
          SetBatch(bands == 1 ? t : Op(OpCode::kDiv, t, Int(bands)));
          Value first = Op(OpCode::kMul, band, Int(width)), last = Add(first, Int(width));
          if (panels_ % width != 0) last = Op(OpCode::kMin, last, Int(panels_));
          Each(Int(0), Int(k_), depth_, [&](Value k0) {
            const bool whole = k_ % depth_ == 0 || slices_ == 1;
            Value k1 = Add(k0, Int(depth_));
            if (!whole) k1 = Op(OpCode::kMin, k1, Int(k_));
            Value depth = whole ? Int(std::min(depth_, k_)) : Op(OpCode::kSub, k1, k0);
            if (slices_ == 1) k1 = Int(k_);
            PackB(first, last, k0, depth);
            Each(lo, hi, height_, [&](Value i0) {
              Value i1 = Add(i0, Int(height_));
              if (m_ % height_ != 0 || parts > 1) i1 = Op(OpCode::kMin, i1, hi);
              Block(i0, i1, first, last, k0, k1, depth);
            });
          });
          return Values{};
        });
  }

  // The second of two products, whose left operand is made of the first's rows: a task computes a
  // few of these, from end to end, into a buffer of its own, and then what it is made of them.
  void EmitAfter(GemmEmitter& first) {
    const plan::Plan& plan = region_.plan();
    const int64_t tasks = (m_ + plan.chain_rows - 1) / plan.chain_rows;
    own_panels_ = first.own_panels_ = true;
    // Whole tiles are stored, with room past the last row and column.
    first.rows_ = b_.AddBuffer("S", first.dot_->shape().element_type(),
                               Dims{height_ + g_.rows, first.panels_ * first.g_.cols + kPitch},
                               kernel::Space::kTask);
    first.AddBuffers(first.panels_);
    AddBuffers(panels_);
    reductions_ = plan.chain_reductions;
    is_second_ = true;
    region_.Loop(LoopKind::kPar, Int(0), Int(product_.batches() * tasks), 1, Tail::kExact, {},
                 [&](Value t, const Values&) {
                   const Value batch = tasks == 1 ? t : Op(OpCode::kDiv, t, Int(tasks)),
                               part = tasks == 1 ? Int(0) : Op(OpCode::kRem, t, Int(tasks));
                   const Value lo = Op(OpCode::kMul, part, Int(plan.chain_rows));
                   const Value hi = Op(OpCode::kMin, Add(lo, Int(plan.chain_rows)), Int(m_));
                   first.SetBatch(batch);
                   SetBatch(batch);
                   first.PackB(Int(0), Int(first.panels_), Int(0), Int(first.k_));
                   PackB(Int(0), Int(panels_), Int(0), Int(k_));
                   Each(lo, hi, height_, [&](Value i0) {
                     const Value i1 = Op(OpCode::kMin, Add(i0, Int(height_)), hi);
                     first.WholeBlock(i0, i1);
                     region_.SetRows(first.dot_, first.rows_, i0);
                     WholeBlock(i0, i1);
                   });
                   return Values{};
                 });
  }

 private:
  void AddBuffers(int64_t panels) {
    const auto space = own_panels_ ? kernel::Space::kTask : kernel::Space::kScratch;
    packed_b_ = b_.AddBuffer("Bp" + suffix_, packed_[1], Dims{panels, depth_, g_.cols}, space);
    if (slices_ > 1)
      partial_ = b_.AddBuffer("Cp" + suffix_, sum_, Dims{panels, m_, g_.cols}, space);
    // Rows may be written past the block by whole tiles; the odd pitch keeps them out of one
    // another's cache sets.
    const int64_t rows = height_ + std::max(g_.rows, region_.plan().lanes);
    packed_a_ =
        b_.AddBuffer("Ap" + suffix_, packed_[0], Dims{rows, depth_ + kPitch}, kernel::Space::kTask);
    if (flip_b_)
      row_sums_ = b_.AddBuffer("As" + suffix_, ElementType::S32, Dims{rows}, kernel::Space::kTask);
    // The first product of a chain has a buffer for whole rows.
    if (rows_ < 0)
      tile_ = b_.AddBuffer("Ct" + suffix_, sum_, Dims{int64_t{g_.rows}, int64_t{g_.cols}},
                           kernel::Space::kTask);
  }

  // Rows [i0, i1) of the panels [first, last), of which B is packed: `depth` of the contracted axis
  // from k0 on.
  void Block(Value i0, Value i1, Value first, Value last, Value k0, Value k1, Value depth) {
    if (g_.word > 1) {
      PackWordsOfA(i0, i1, k0, depth);
    } else {
      PackA(i0, i1, k0, depth);
    }
    if (flip_b_) SumRows(i0, i1, depth);
    Each(first, last, 1, [&](Value p) {
      Each(i0, i1, g_.rows,
           [&](Value i) { RegisterTile(p, Panel(p, first), i0, i, k0, k1, depth); });
    });
  }
  // The same of all panels, the contracted axis one slice.
  void WholeBlock(Value i0, Value i1) {
    Block(i0, i1, Int(0), Int(panels_), Int(0), Int(k_), Int(k_));
  }

  // Of the values of row `i`, whose shape may have dimensions of one element anywhere.
  Coords RowCoords(const Shape& shape, Value i) {
    Coords longer;
    for (size_t d = 0; d < batch_.size(); ++d)
      if (product_.batch[d] != 1) longer.push_back(batch_[d]);
    longer.push_back(Coord{i});
    Coords at;
    size_t next = 0;
    for (int64_t n : shape.dimensions())
      at.push_back(n == 1 ? Coord{Int(0), 0, 0, Interval::Of(0)} : longer[next++]);
    return at;
  }
  // Packs a row of A. In the second product of a chain, what the row is reduced to comes first, and
  // what more than one loop over it needs is kept.
  void EachRowOfA(Value i0, Value i1, int64_t rows, const std::function<void(Value)>& body) {
    Each(i0, i1, rows, [&](Value i) {
      if (!is_second_) return body(i);
      region_.EnterRow();
      for (const HloInstruction* r : reductions_)
        region_.Eval(r, RowCoords(r->shape(), i), Frame{});
      body(i);
      region_.LeaveRow();
    });
  }

  static constexpr int64_t kPitch = 16;
  static constexpr int64_t kSlice = 512;  // of a contracted axis: what one accumulator adds up
  static constexpr int64_t kUpperBits = 0x80808080;  // of the bytes of a word
  static constexpr int64_t kAhead = 16;  // rows of B to prefetch from the second-level cache

  Value Int(int64_t v) { return region_.Int(v); }
  Value Op(OpCode code, Value x, Value y) { return region_.IndexOp(code, x, y); }
  Value Add(Value x, Value y) { return region_.IndexAdd(x, y); }
  void Each(Value lo, Value hi, int64_t step, const std::function<void(Value)>& body) {
    region_.Loop(LoopKind::kSeq, lo, hi, step, step == 1 ? Tail::kExact : Tail::kMasked, {},
                 [&](Value iv, const Values&) {
                   body(iv);
                   return Values{};
                 });
  }

  Value Zero(ElementType t) { return IsFloat(t) ? b_.Const(t, 0) : b_.ConstInt(t, 0); }

  // The number of a batch to its coordinates.
  void SetBatch(Value number) {
    batch_.assign(product_.batch.size(), Coord{Int(0), 0, 0, Interval::Of(0)});
    for (size_t d = batch_.size(); d-- > 0;) {
      const int64_t n = product_.batch[d];
      if (d == 0) {
        batch_[d] = Coord{number, 0, 0, {0, n}};
      } else if (n > 1) {
        batch_[d] = Coord{Op(OpCode::kRem, number, Int(n)), 0, 0, {0, n}};
        number = Op(OpCode::kDiv, number, Int(n));
      }
    }
  }
  // The index of a panel among the packed ones.
  Value Panel(Value p, Value first) { return own_panels_ ? Op(OpCode::kSub, p, first) : p; }

  // An element of an operand: `free` along the result's axis, `contracted` along the other.
  Value Operand(size_t side, Coord free, Coord contracted, const Frame& frame) {
    const HloInstruction* x = dot_->operand(side);
    const plan::MatrixProduct::Side& dims = product_.sides[side];
    Coords at(batch_.size() + 2);
    for (size_t d = 0; d < batch_.size(); ++d) at[static_cast<size_t>(dims.batch[d])] = batch_[d];
    at[static_cast<size_t>(dims.contracted)] = contracted;
    at[static_cast<size_t>(dims.free)] = free;
    return EmitConvert(b_, region_.Eval(x, at, frame), x->shape().element_type(), elem_[side]).re;
  }

  // --- words of neighbours along the contracted axis, for dot instructions

  // The instruction multiplies unsigned bytes by signed ones. Where A and B have the same sign, B
  // is packed with its upper bits flipped, which is B + 128 of the other signedness (or B - 128),
  // and 128 times the sums of A's rows are what that adds.
  void SetWords() {
    if (g_.word == 2) {
      elem_[0] = elem_[1] = ElementType::BF16;
      packed_[0] = packed_[1] = ElementType::U32;
      return;
    }
    for (size_t side : {0, 1}) {
      signed_[side] = IsSigned(dot_->operand(side)->shape().element_type());
      elem_[side] = signed_[side] ? ElementType::S8 : ElementType::U8;
    }
    flip_b_ = signed_[0] == signed_[1];
    // Whole until the end, where they cannot overflow.
    constexpr int64_t kMost = 255 * 255;
    if (IsFloat(sum_) && product_.k <= INT32_MAX / kMost) sum_ = ElementType::S32;
    packed_[0] = signed_[0] ? ElementType::S32 : ElementType::U32;
    packed_[1] = signed_[0] ? ElementType::U32 : ElementType::S32;
  }
  Value DotAdd(Value a, Value b, Value sum) {
    return signed_[0] ? b_.DotAdd(b, a, sum) : b_.DotAdd(a, b, sum);
  }
  // Zero where the mask is not set.
  Value Masked(Value mask, Value x) { return b_.Select(mask, x, Zero(b_.type(x).elem)); }
  // Words [k, k + rows) of `side`, each of which is made of neighbouring rows of the tile of an
  // operand whose contracted axis is not its minor one. Elements behind the last one are zero.
  Value WordsOfRows(size_t side, Coord free, Value k, Frame frame) {
    const int64_t extent = product_.k, whole = extent / g_.word;
    const bool rows = frame.rows > 1;
    Value words = kNone;
    for (int u = 0; u < g_.word; ++u) {
      Value at = Add(Op(OpCode::kMul, k, Int(g_.word)), Int(u)), inside = kNone;
      if (rows && frame.row_bound.any()) {
        frame.row_bound = Bound{k, Int(whole + (u < extent % g_.word))};
      }
      if (u >= extent % g_.word && extent % g_.word != 0) {
        if (rows) {
          inside = b_.Mask(k, Int(whole), {ElementType::PRED, frame.rows, frame.cols},
                           kernel::Axis::kRows);
        } else {
          inside = b_.Compare(Predicate::kLt, at, Int(extent));
          at = Op(OpCode::kMin, at, Int(extent - 1));
        }
      }
      Value x = Operand(side, free, Coord{at, rows ? g_.word : 0, 0}, frame);
      if (inside != kNone) x = Masked(inside, x);
      x = b_.Convert(b_.Bitcast(x, g_.word == 2 ? ElementType::U16 : ElementType::U8),
                     ElementType::U32);
      if (u > 0) x = b_.Binary(OpCode::kShl, x, b_.ConstInt(ElementType::U32, 32 / g_.word * u));
      words = u == 0 ? x : b_.Or(words, x);
    }
    return b_.Bitcast(words, packed_[side]);
  }
  // The same where the contracted axis is the minor one: `cols` words beside one another, `rows`
  // times. `guarded`: some may lie behind the end.
  Value WordsOfColumns(size_t side, Coord free, Value k, int cols, Frame frame, bool guarded) {
    Value at = Op(OpCode::kMul, k, Int(g_.word));
    frame.cols = cols * g_.word;
    if (guarded) frame.col_bound = Bound{at, Int(product_.k)};
    Value x = Operand(side, free, Coord{at, 0, 1}, frame);
    const Type type{elem_[side], frame.rows, frame.cols};
    x = region_.Widen(x, type);
    if (guarded && product_.k % g_.word != 0) {
      x = Masked(b_.Mask(at, Int(product_.k), kernel::WithElem(type, ElementType::PRED),
                         kernel::Axis::kCols),
                 x);
    }
    return b_.Pack(x, packed_[side]);
  }

  Value WordsOfB(Value j, Value k, int rows, int cols) {
    const bool transposed = product_.sides[1].contracted > product_.sides[1].free;  // [N, K]
    Frame frame;
    frame.rows_depth = frame.cols_depth = b_.depth();
    Value words = kNone;
    if (transposed) {
      frame.rows = cols;
      if (n_ % g_.cols != 0) frame.row_bound = Bound{j, Int(n_)};
      const bool guarded = product_.k % (rows * g_.word) != 0 || depth_ % rows != 0;
      words = b_.Transpose(WordsOfColumns(1, Coord{j, 1, 0}, k, rows, frame, guarded));
    } else {
      frame.cols = cols;
      if (n_ % g_.cols != 0) frame.col_bound = Bound{j, Int(n_)};
      words = region_.Widen(WordsOfRows(1, Coord{j, 0, 1}, k, frame), Type{packed_[1], rows, cols});
    }
    if (!flip_b_) return words;
    return b_.Binary(OpCode::kXor, words, b_.ConstInt(packed_[1], kUpperBits));
  }

  void PackWordsOfA(Value i0, Value i1, Value k0, Value depth) {
    const bool transposed = product_.sides[0].contracted < product_.sides[0].free;  // [K, M]
    const int lanes = region_.plan().lanes;
    const int rows = transposed ? lanes : 1, cols = transposed ? lanes : 8 * lanes / g_.word;
    const bool exact = product_.k % (cols * g_.word) == 0 && depth_ % cols == 0;
    EachRowOfA(i0, i1, rows, [&](Value i) {
      Value row = Op(OpCode::kSub, i, i0);
      auto pack = [&](Value q, bool whole) {
        Frame frame;
        frame.rows_depth = frame.cols_depth = b_.depth();
        Value k = Add(k0, q), words = kNone;
        const Type type{packed_[0], rows, cols};
        if (transposed) {
          frame.rows = frame.cols = lanes;
          if (!whole) frame.row_bound = Bound{k, Int(k_)};  // of each element, its own
          if (m_ % rows != 0) frame.col_bound = Bound{i, Int(m_)};
          if (height_ % rows != 0) frame.col_bound = Bound{i, i1};
          words = WordsOfRows(0, Coord{i, 0, 1}, k, frame);
          words = b_.Transpose(region_.Widen(words, type));
        } else {
          words = WordsOfColumns(0, Coord{i}, k, cols, frame, !whole);
        }
        Frame stored;
        stored.rows = rows;
        stored.cols = cols;
        if (!whole) stored.col_bound = Bound{q, depth};
        stored.row_bound = frame.col_bound;
        b_.Store(words, packed_a_, {{row, rows > 1 ? 1 : 0, 0}, {q, 0, 1}},
                 region_.MaskOf(stored, type));
      };
      auto loop = [&](Value lo, Value hi, bool whole) {
        region_.Loop(LoopKind::kSeq, lo, hi, cols, whole ? Tail::kExact : Tail::kMasked, {},
                     [&](Value q, const Values&) {
                       pack(q, whole);
                       return Values{};
                     });
      };
      if (exact || transposed) return loop(Int(0), depth, exact);
      // Whole steps without a mask, then one with it.
      Value k1 = Op(OpCode::kMin, Add(k0, depth), Int(product_.k / g_.word));
      Value steps = Op(OpCode::kDiv, Op(OpCode::kSub, k1, k0), Int(cols));
      Value middle = Op(OpCode::kMul, steps, Int(cols));
      region_.Loop(LoopKind::kSeq, Int(0), steps, 1, Tail::kExact, {}, [&](Value s, const Values&) {
        pack(Op(OpCode::kMul, s, Int(cols)), true);
        return Values{};
      });
      loop(middle, depth, false);
    });
  }

  // What B's flipped bits add to each row of the product, negated.
  void SumRows(Value i0, Value i1, Value depth) {
    const int cols = 4 * region_.plan().lanes;
    const Type type{packed_[0], 1, cols}, sum{ElementType::S32, 1, cols};
    Value ones = b_.ConstInt(packed_[1], 0x01010101), zero = Zero(ElementType::S32);
    Each(Int(0), Op(OpCode::kSub, i1, i0), 1, [&](Value row) {
      Value total = region_.Loop(
          LoopKind::kSeq, Int(0), depth, cols, Tail::kPeel, {b_.Splat(zero, sum)},
          [&](Value q, const Values& c) {
            Value mask =
                b_.Mask(q, depth, kernel::WithElem(type, ElementType::PRED), kernel::Axis::kCols);
            Value a = b_.Load(packed_a_, {{row}, {q, 0, 1}}, type, mask, Zero(packed_[0]));
            return Values{DotAdd(a, ones, c[0])};
          })[0];
      total = b_.Reduce({total}, kernel::Axis::kCols, [&](const Values& x, const Values& y) {
        return Values{b_.Add(x[0], y[0])};
      })[0];
      Value each = b_.ConstInt(ElementType::S32, signed_[0] ? -128 : 128);
      b_.Store(b_.Mul(total, each), row_sums_, {{row}});
    });
  }

  // --- packing

  void PackB(Value first, Value last, Value k0, Value depth) {
    const bool transposed = product_.sides[1].contracted > product_.sides[1].free;  // [N, K]
    const int lanes = region_.plan().lanes;
    const int rows = transposed ? lanes : 1, cols = transposed ? lanes : g_.cols;
    auto pack = [&](Value p, Value q) {
      const Value j0 = Op(OpCode::kMul, p, Int(g_.cols));
      for (int c = 0; c < g_.cols; c += cols) {
        if (g_.word > 1) {
          Value words = WordsOfB(Add(j0, Int(c)), Add(k0, q), rows, cols);
          const Type type = kernel::WithElem(b_.type(words), ElementType::PRED);
          const bool cut = rows > 1 && (k_ % rows != 0 || depth_ % rows != 0);
          b_.Store(words, packed_b_, {{Panel(p, first)}, {q, rows > 1 ? 1 : 0, 0}, {Int(c), 0, 1}},
                   cut ? b_.Mask(q, depth, type, kernel::Axis::kRows) : kNone);
          continue;
        }
        Frame frame;
        frame.rows = rows;
        frame.cols = cols;
        frame.rows_depth = frame.cols_depth = b_.depth();
        Value j = Add(j0, Int(c)), k = Add(k0, q);
        if (n_ % g_.cols != 0) frame.col_bound = Bound{j, Int(n_)};
        if (rows > 1 && (k_ % rows != 0 || depth_ % rows != 0)) frame.row_bound = Bound{q, depth};
        Value x = Operand(1, Coord{j, 0, 1}, Coord{k, rows > 1 ? 1 : 0, 0}, frame);
        const Type type{packed_[1], rows, cols};
        Value mask =
            frame.row_bound.any()
                ? b_.Mask(q, depth, kernel::WithElem(type, ElementType::PRED), kernel::Axis::kRows)
                : kNone;
        b_.Store(region_.Widen(x, type), packed_b_,
                 {{Panel(p, first)}, {q, rows > 1 ? 1 : 0, 0}, {Int(c), 0, 1}}, mask);
      }
    };
    if (transposed) {  // rows of B from end to end, as many as a panel has columns
      return Each(first, last, 1,
                  [&](Value p) { Each(Int(0), depth, rows, [&](Value q) { pack(p, q); }); });
    }
    // A few rows of all panels at a time: neighbours in a page are read together.
    Each(Int(0), depth, 16, [&](Value q0) {
      Value q1 = Op(OpCode::kMin, Add(q0, Int(16)), depth);
      Each(first, last, 1, [&](Value p) { Each(q0, q1, rows, [&](Value q) { pack(p, q); }); });
    });
  }

  void PackA(Value i0, Value i1, Value k0, Value depth) {
    const bool transposed = product_.sides[0].contracted < product_.sides[0].free;  // [K, M]
    const int lanes = region_.plan().lanes;
    const int rows = transposed ? lanes : 1, cols = transposed ? lanes : 4 * lanes;
    const bool exact = k_ % cols == 0 && depth_ % cols == 0;
    const Tail tail = exact ? Tail::kExact : transposed ? Tail::kMasked : Tail::kPeel;
    auto pack = [&](Value i, Value q) {
      const Value row = Op(OpCode::kSub, i, i0);
      Frame frame;
      frame.rows = rows;
      frame.cols = cols;
      frame.rows_depth = frame.cols_depth = b_.depth();
      if (!exact) frame.col_bound = Bound{q, depth};
      if (rows > 1 && m_ % rows != 0) frame.row_bound = Bound{i, Int(m_)};
      if (rows > 1 && height_ % rows != 0) frame.row_bound = Bound{i, i1};
      Value x = Operand(0, Coord{i, rows > 1 ? 1 : 0, 0}, Coord{Add(k0, q), 0, 1}, frame);
      const Type type{packed_[0], rows, cols};
      Value mask = region_.MaskOf(frame, type);
      b_.Store(region_.Widen(x, type), packed_a_, {{row, rows > 1 ? 1 : 0, 0}, {q, 0, 1}}, mask);
    };
    auto along = [&](const std::function<void(Value)>& body) {
      region_.Loop(LoopKind::kSeq, Int(0), depth, cols, tail, {}, [&](Value q, const Values&) {
        body(q);
        return Values{};
      });
    };
    if (transposed) {  // in the order of memory
      return along([&](Value q) { Each(i0, i1, rows, [&](Value i) { pack(i, q); }); });
    }
    EachRowOfA(i0, i1, rows, [&](Value i) { along([&](Value q) { pack(i, q); }); });
  }

  // `panel`: the index of `p` among the packed panels.
  void RegisterTile(Value p, Value panel, Value i0, Value i, Value k0, Value k1, Value depth) {
    const ElementType acc = g_.word == 1 ? packed_[0] : g_.word == 2 ? sum_ : ElementType::S32;
    const Type acc_type{acc, g_.rows, g_.cols};
    Value row = Op(OpCode::kSub, i, i0);
    auto step = [&](Value q, Value sum) {
      // First, since loads before it could not be moved to their uses.
      Value y = b_.Load(packed_b_, {{panel}, {q}, {Int(0), 0, 1}}, Type{packed_[1], 1, g_.cols},
                        kNone, kNone, kAhead * g_.cols);
      Value x = b_.Load(packed_a_, {{row, 1, 0}, {q}}, Type{packed_[0], g_.rows, 1});
      if (g_.word > 1) return DotAdd(x, y, sum);
      return IsFloat(packed_[0]) ? region_.MultiplyAdd(x, y, sum) : b_.Add(sum, b_.Mul(x, y));
    };
    Value start =
        flip_b_ ? region_.Widen(b_.Load(row_sums_, {{row, 1, 0}}, Type{acc, g_.rows, 1}), acc_type)
                : b_.Splat(Zero(acc), acc_type);
    // Where the contracted axis is not cut into slices, as in a chain, sums are.
    std::vector<int64_t> blocks;
    if (depth_ > kSlice) blocks.push_back(kSlice);
    const Value none = blocks.empty() || !flip_b_ ? start : b_.Splat(Zero(acc), acc_type);
    // Not unrolled: a row of the tile hides the loop's own instructions, and code generation is
    // what compiling costs.
    Value sum = region_.LoopInBlocks(
        blocks, Int(0), depth, is_second_ ? depth_ : 0, 1, Tail::kExact, {start}, {none},
        [&](const Values& x, const Values& y) { return Values{b_.Add(x[0], y[0])}; },
        [&](Value q, Value, const Values& c) { return Values{step(q, c[0])}; })[0];
    if (g_.exact_in_f32) sum = b_.Convert(sum, ElementType::S32, true);
    sum = b_.Convert(sum, sum_);
    if (rows_ >= 0) {
      const Parts value = EmitConvert(b_, Parts{sum}, sum_, dot_->shape().element_type());
      b_.Store(value.re, rows_, {{row, 1, 0}, {Op(OpCode::kMul, p, Int(g_.cols)), 0, 1}});
      return;
    }
    b_.Store(sum, tile_, {{Int(0), 1, 0}, {Int(0), 0, 1}});
    Epilogue(p, panel, i, k0, k1);
  }

  void Epilogue(Value p, Value panel, Value i, Value k0, Value k1) {
    const Type row_type{sum_, 1, g_.cols};
    Value j = Op(OpCode::kMul, p, Int(g_.cols));
    Frame frame;
    frame.cols = g_.cols;
    frame.cols_depth = region_.DepthOf(p);
    if (n_ % g_.cols != 0) frame.col_bound = Bound{j, Int(n_)};
    Value end = Add(i, Int(g_.rows));
    if (m_ % g_.rows != 0) end = Op(OpCode::kMin, end, Int(m_));
    Each(i, end, 1, [&](Value r) {
      Value v = b_.Load(tile_, {{Op(OpCode::kSub, r, i)}, {Int(0), 0, 1}}, row_type);
      auto earlier = [&] { return b_.Load(partial_, {{panel}, {r}, {Int(0), 0, 1}}, row_type); };
      if (slices_ > 1) {
        Value more = b_.Compare(Predicate::kGt, k0, Int(0));
        Value zero = b_.Splat(Zero(sum_), row_type);
        v = b_.Add(v,
                   b_.If(
                       more, [&] { return Values{earlier()}; }, [&] { return Values{zero}; })[0]);
      }
      Coords at = batch_;
      at.push_back(Coord{r, 0, 0, {0, m_}});
      at.push_back(Coord{j, 0, 1, {0, n_}});
      auto finish = [&] {
        Parts value = EmitConvert(b_, Parts{v}, sum_, dot_->shape().element_type());
        region_.Bind(dot_, at, frame, value);
        for (size_t k = 0; k < region_.outputs().size(); ++k) {
          region_.StoreOutput(k, at, frame, region_.Eval(region_.outputs()[k], at, frame));
        }
      };
      if (slices_ == 1) {
        finish();
        return;
      }
      b_.If(
          b_.Compare(Predicate::kGe, k1, Int(k_)),
          [&] {
            Region::Block block(region_);
            // The sum, and what is computed from it, is complete in here only.
            frame.cols_depth = b_.depth();
            finish();
            return Values{};
          },
          [&] {
            b_.Store(v, partial_, {{panel}, {r}, {Int(0), 0, 1}});
            return Values{};
          });
    });
  }

  Region& region_;
  kernel::Builder& b_;
  const plan::GemmBlocks& g_;
  const HloInstruction* dot_;
  const std::string suffix_;
  const plan::MatrixProduct product_;
  // The contracted axis and a slice of it in words, which are elements where there is no dot
  // instruction.
  const int64_t m_, n_, k_, depth_;
  int64_t panels_, slices_, height_;
  bool own_panels_ = false;
  Coords batch_;                     // of the task's product
  ElementType elem_[2], packed_[2];  // of the factors, and of what they are packed to
  ElementType sum_;                  // of what their products add up to
  bool signed_[2] = {false, false}, flip_b_ = false;  // of bytes in words
  int packed_b_ = -1, partial_ = -1, packed_a_ = -1, row_sums_ = -1, tile_ = -1;
  // Of a chain: where the first product's rows are; of the second, what rows are reduced to.
  int rows_ = -1;
  bool is_second_ = false;
  std::vector<const HloInstruction*> reductions_;
};

}  // namespace

void EmitGemm(Region& region) {
  const plan::Plan& plan = region.plan();
  GemmEmitter product(region, plan.dot, plan.gemm);
  if (plan.chained == nullptr) return product.Emit();
  GemmEmitter first(region, plan.chained, plan.chained_gemm, "1");
  product.EmitAfter(first);
}

}  // namespace sinter::emit
