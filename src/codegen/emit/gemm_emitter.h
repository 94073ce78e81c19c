// The parts of a packed product's kernel: which loops there are, and what its operands are packed
// to.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/region.h"
#include "codegen/plan/gemm.h"

namespace sinter::emit {

class GemmEmitter {
 public:
  // `suffix`: of the names of its buffers.
  GemmEmitter(Region& region, const HloInstruction* dot, const plan::GemmBlocks& blocks,
              std::string suffix = "");

  void Emit();
  // The second of two products, whose left operand is made of the first's rows: a task computes a
  // few of these, from end to end, into a buffer of its own, and then what it is made of them.
  void EmitAfter(GemmEmitter& first);

 private:
  using Value = kernel::Value;

  // --- loops (gemm.cc)
  // Tasks are of so many panels, or all of them are there at once.
  void AddBuffers(int64_t panels);
  // A slice [k0, k1) of the contracted axis, `depth` of it; and the panels [first, last) of which B
  // is packed.
  struct Slice {
    Value k0, k1, depth;
  };
  Slice SliceFrom(Value k0, Value end);
  struct Panels {
    Value first, last;
  };
  // Of registers.
  struct Tile {
    Value p, panel;  // the number of its panel, and that among the packed ones
    Value i, row;    // its first row, and that within the block
    Value first;     // the first row that it reads, which may be one of the tile before (FirstRow)
  };
  // Rows [i0, i1): A is packed and multiplied.
  void Block(Value i0, Value i1, Panels panels, const Slice& slice);
  void PackRows(Value i0, Value i1, const Slice& slice);
  void Tiles(Value i0, Value i1, Panels panels, const Slice& slice);
  // The same of all panels, the contracted axis one slice.
  void WholeBlock(Value i0, Value i1);
  void OneTask(Value lo, Value hi, Panels band, Value from, Value end);
  // A first stage, after which all of B is packed, slice by slice.
  void PackAllOfB();
  // Panels are those of this slice from then on.
  void EnterSlice(Value number) { first_packed_ = Sub(Int(0), Mul(number, Int(panels_))); }
  void AddChunks();
  void Epilogue(const Tile& t, const Slice& slice);
  // The sum of a row's columns is complete: what is computed from it is stored.
  void Finish(Value row, Value column, Frame frame, Value sum);

  // --- register tiles (gemm_tile.cc)
  void EachTile(Value i0, Value i1, Panels panels, const std::function<void(const Tile&)>& body);
  Value FirstRow(Value i);
  void RegisterTile(const Tile& t, const Slice& slice);
  // The same in tiles of words.
  void DotTiles(const Tile& t, const Slice& slice);
  Value TileOfA(Value i, Value row, Value q, const Slice& slice);
  // All tiles add up some elements of the contracted axis, then all the next ones.
  void TilesBySteps(Value i0, Value i1, Panels panels, const Slice& slice);
  kernel::Type AccumulatorType() const;
  // What a tile's sum begins with: zero, or what B's flipped bits add, negated.
  Value StartOfTile(Value row);
  // `sum` and the products of element q of the slice, which is at `k` of the operands; null if A is
  // packed.
  Value AddProducts(const Tile& t, const Slice& slice, Value q, const Coords* k, Value sum);
  // The sum of a register tile over a slice, dimension by dimension of the contracted axis; `step`
  // adds the products of an element.
  using Step = std::function<Value(Value q, const Coords& k, Value sum)>;
  Value SumRuns(const Slice& slice, Value start, const Step& step);
  // What the first product of a chain keeps of a panel's sums, from `row` on of the block.
  void Keep(Value row, Value p, Value sums);
  // A tile has been summed over a slice.
  void Complete(const Tile& t, const Slice& slice, Value sum);

  // Where panel `p` begins. The last one overlaps the one before rather than be masked, unless what
  // is written was there before.
  Value ColumnOf(Value p);
  bool Overlaps() const;
  // Whether panels run past the last column; and whether the squares do by which a transposed B is
  // packed. Where one panel has all columns, the last of its squares begins earlier instead.
  bool CutsColumns() const;
  bool CutsSquares() const;
  // Of the number of an element of several dimensions, along the last of which a tile may run.
  // `unit`: a multiple of which the number is, and the last dimension; what is said of the digits
  // then follows from how they are computed.
  Coords Digits(Coord number, absl::Span<const int64_t> extents, int64_t unit = 1);
  Coords RowCoords(const Shape& shape, Value i);
  void EachRowOfA(Value i0, Value i1, const std::function<void(Value)>& body);
  void SetBatch(Value number);

  // --- operands (gemm_packing.cc)
  Value Operand(size_t side, Coord free, Coord contracted, const Frame& frame);
  Value Operand(size_t side, Coord free, const Coords& contracted, const Frame& frame);
  void SetWords();
  Value DotAdd(Value a, Value b, Value sum);
  Value Masked(Value mask, Value x);
  Value WordsOfRows(size_t side, Coord free, Value k, Frame frame);
  Value WordsOfColumns(size_t side, Coord free, Value k, int cols, Frame frame, bool guarded);
  Value WordsOfB(Value j, Value k, int rows, int cols);
  // Elements (or words) of B as it is in memory; what the next panel needs of the row is fetched.
  // `digits`: the contracted dimensions of element `k`, null where they are still to be computed.
  Value RowOfB(Value j, Value k, const Coords* digits, int cols);
  int InOneDimension(int cols) const;
  void PackB(Panels panels, const Slice& slice) { PackB(panels, slice, Int(0), slice.depth); }
  void PackB(Panels panels, const Slice& slice, Value from, Value to);
  // A's rows, each contiguous; or where memory runs along them, those of each register tile side by
  // side, the contracted axis outermost.
  void PackA(Value i0, Value i1, const Slice& slice);
  void PackWordsOfA(Value i0, Value i1, const Slice& slice);
  void PackTilesOfA(Value i0, Value i1, const Slice& slice);
  void PackSquaresOfA(Value i0, Value i1, const Slice& slice);
  // Words of a slice in whole tiles; and zeros behind the slice, which are multiplied too.
  Value WholeTiles(const Slice& slice);
  void ClearBehindA(Value i0, Value i1, const Slice& slice);
  void ClearBehindB(Panels panels, const Slice& slice);
  // Register tiles multiply rows and columns past the last one too, whose products are not stored:
  // they are zeros, since denormal numbers, as integers that memory held before are, take an Intel
  // processor 25 times as long.
  void ClearRowsBehindA(Value i0, Value i1, const Slice& slice);
  // Of the only panel, where it is packed by squares.
  void ClearColumnsBehindB(Value panel, Value from, Value to);
  // Elements (or words) of A in the rows of a register tile, packed; and as they are in memory.
  Value LoadA(Value row, Value q);
  Value RowsOfA(Value i, const Coords& k);
  void SumRows(Value i0, Value i1, Value depth);

  // --- short names
  static constexpr int64_t kPitch = 16;
  static constexpr int kTile = plan::GemmBlocks::kTile;
  static constexpr int64_t kSlice = 512;  // of a contracted axis: what one accumulator adds up
  static constexpr int64_t kUpperBits = 0x80808080;  // of the bytes of a word
  static constexpr int64_t kAhead = 16;  // rows of B to prefetch from the second-level cache

  Value Int(int64_t v) { return region_.Int(v); }
  Value Op(kernel::OpCode code, Value x, Value y) { return region_.IndexOp(code, x, y); }
  Value Add(Value x, Value y) { return region_.IndexAdd(x, y); }
  Value Sub(Value x, Value y) { return Op(kernel::OpCode::kSub, x, y); }
  Value Mul(Value x, Value y) { return Op(kernel::OpCode::kMul, x, y); }
  Value Min(Value x, Value y) { return Op(kernel::OpCode::kMin, x, y); }
  void Each(Value lo, Value hi, int64_t step, const std::function<void(Value)>& body);
  Value Zero(ElementType t) { return IsFloat(t) ? b_.Const(t, 0) : b_.ConstInt(t, 0); }
  bool RunsAlongRowsOfA() const { return product_.sides[0].is_free_minor && !is_second_; }
  bool AIsByTiles() const { return RunsAlongRowsOfA() && !g_.tiles; }
  // The number of panel `p` among the packed ones.
  Value PlaceOf(Value p) { return first_packed_ == kernel::kNone ? p : Sub(p, first_packed_); }
  // The number of a register tile in a block, and columns that its rows are side by side: whole
  // vectors, unless the processor is one without masks.
  Value TileOf(Value row) { return Op(kernel::OpCode::kDiv, row, Int(g_.rows)); }
  int TileWidth() const {
    const int lanes = region_.plan().lanes;
    return lanes <= 4 ? g_.rows : (g_.rows + lanes - 1) / lanes * lanes;
  }
  Value TileMask();

  Region& region_;
  kernel::Builder& b_;
  const plan::GemmBlocks& g_;
  const HloInstruction* dot_;
  const std::string suffix_;
  const plan::MatrixProduct product_;
  // The contracted axis and a slice of it in words, which are elements where there is no dot
  // instruction.
  const int64_t m_, n_, k_, depth_;
  const int64_t room_;  // for a slice in the packed operands: whole tiles, if there are such
  int64_t panels_, slices_, height_, chunks_ = 1;
  // The first panel in the task's own buffers; kNone where all are there.
  Value first_packed_ = kernel::kNone, first_partial_ = kernel::kNone;
  Value first_row_ = kernel::kNone;  // in the task's own sums
  bool own_packed_ = false, own_partial_ = false;
  Value from_ = kernel::kNone;       // where the task's part of the contracted axis begins
  Value chunk_ = kernel::kNone;      // its number, if the contracted axis is cut into chunks
  Coords batch_;                     // of the task's product
  ElementType elem_[2], packed_[2];  // of the factors, and of what they are packed to
  ElementType sum_;                  // of what their products add up to
  bool signed_[2] = {false, false}, flip_b_ = false;  // of bytes in words
  int packed_b_ = -1, partial_ = -1, packed_a_ = -1, row_sums_ = -1, tile_ = -1, waiting_ = -1;
  // Of a chain: where the first product's rows are; of the second, what rows are reduced to.
  int rows_ = -1;
  bool is_second_ = false;
  std::vector<const HloInstruction*> reductions_;
};

}  // namespace sinter::emit
