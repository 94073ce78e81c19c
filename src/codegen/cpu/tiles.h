// The CPU's part of the walk: a tile is rows x ceil(columns / lanes) vectors, rows unrolled,
// columns along the vector.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/cpu/target.h"
#include "codegen/kernel/hash.h"
#include "codegen/llvm/walk.h"

namespace sinter::cpu {

class Tiles : public codegen::Walk {
 public:
  Tiles(const kernel::Kernel& kernel, llvm::Function& function, llvm::IRBuilder<>& builder,
        codegen::Pointwise& pointwise, const Target& target)
      : Walk(kernel, function, builder, pointwise), target_(target), lanes_(kernel.lanes) {}

  bool used_non_temporal() const { return used_non_temporal_; }

 protected:
  using Parts = codegen::Parts;
  using Access = Walk::Access;

  int Chunks(const kernel::Type& t) const { return (t.cols + lanes_ - 1) / lanes_; }
  int ChunkWidth(const kernel::Type& t, int chunk) const {
    return std::min(lanes_, t.cols - chunk * lanes_);
  }
  int Count(const kernel::Type& t) const override { return t.rows * Chunks(t); }
  int Width(const kernel::Type& t, int part) const override {
    return ChunkWidth(t, part % Chunks(t));
  }
  llvm::Value* Part(kernel::Value v, int part, const kernel::Type& t) override;
  llvm::Value* PartAt(kernel::Value v, int row, int chunk, const kernel::Type& t);
  void EmitOwn(const kernel::Op& op) override;
  bool EmitOwnPointwise(const kernel::Op& op) override;
  bool EmitOwnLoop(const kernel::Op& op) override;

 private:
  // --- loops of which there are many (shared_loops.cc)
  struct SharedLoop {
    kernel::KernelHash hash;
    std::vector<int> buffers;
  };
  void FindSharedLoops();
  void FindLoopsIn(const kernel::Block& block, bool in_branch);
  llvm::Function* FunctionOf(const kernel::Op& loop, const SharedLoop& shared);

  // --- products in tile registers (tile_registers.cc)
  struct TileMemory {
    llvm::Value *pointer, *row_bytes;  // from a row to the next
  };
  TileMemory TileMemoryOf(const kernel::Op& op, size_t first, const kernel::Type& t);
  // Whether the loop is one of dots, whose sums are then in registers until the next such loop.
  bool EmitDotLoop(const kernel::Op& op);
  void EmitDot(const kernel::Op& dot, absl::flat_hash_map<kernel::Value, int>& reads,
               std::vector<int>& unused);
  // What is loaded is `words`, or these are what is loaded packed.
  void LoadTileRegister(const kernel::Op& load, kernel::Value words, bool is_left,
                        std::vector<int>& unused);
  void StoreTileRegister(const kernel::Op& op);
  llvm::Value* RegisterNumber(kernel::Value v);

  // --- pointwise operations of whole tiles in one of two ways (two_ways.cc, divide.cc, ldexp.cc,
  // remainder.cc); whether they are emitted
  bool EmitDivide(const kernel::Op& op);
  bool EmitLdexp(const kernel::Op& op);
  bool EmitRemainder(const kernel::Op& op);
  // Whether a lane of a mask is set, of a list of masks.
  llvm::Value* AnyLane(llvm::ArrayRef<llvm::Value*> masks);
  // The parts of the result, by `usual` or, where `rare` holds, by `other`.
  void InTwoWays(const kernel::Op& op, llvm::Value* rare, llvm::StringRef name,
                 const std::function<llvm::Value*(size_t part)>& usual,
                 const std::function<llvm::Value*(size_t part)>& other);

  // --- tiles from nothing, reductions (reduce.cc)
  void EmitMask(const kernel::Op& op);
  void EmitIota(const kernel::Op& op);
  void EmitReduce(const kernel::Op& op);
  void ReduceRows(const kernel::Op& op, std::vector<Parts>& results);
  void ReduceCols(const kernel::Op& op, std::vector<Parts>& results);
  bool ReduceToAny(const kernel::Op& op);
  Parts ReduceRow(const kernel::Op& op, std::vector<Parts> chunks, int cols);

  // --- elements between lanes (shuffle.cc, transpose.cc)
  struct Lane {
    llvm::Value* from;  // null: any value
    int index;
  };
  llvm::Value* Shuffle(const std::vector<Lane>& lanes, llvm::Type* elem);
  llvm::Value* Resize(llvm::Value* v, int width);
  Lane LaneOf(kernel::Value v, int row, int col);
  void EmitInterleave(const kernel::Op& op);
  void EmitDeinterleave(const kernel::Op& op);
  void EmitPack(const kernel::Op& op);
  void EmitTranspose(const kernel::Op& op);
  std::vector<llvm::Value*> TransposeBlock(std::vector<llvm::Value*> rows, llvm::Type* elem);

  // --- memory (memory.cc, gather.cc)
  struct Site {  // one load or store, as its parts share it
    const kernel::Op& op;
    kernel::Type type;
    Access access;
    std::optional<int64_t> step;  // per column, where constant
    llvm::Align align;
  };
  void EmitLoad(const kernel::Op& op);
  void EmitStore(const kernel::Op& op);
  void FetchAhead(const Site& site);
  llvm::Value* LoadPart(const Site& site, int row, int chunk, llvm::Value* mask,
                        llvm::Value* otherwise);
  void StorePart(const Site& site, int row, int chunk, llvm::Value* x, llvm::Value* mask);
  llvm::Value* LoadContiguous(const Site& site, llvm::Value* p, int width, llvm::Value* mask,
                              llvm::Value* otherwise);
  llvm::Value* Fence(llvm::Value* v);
  llvm::Value* CommonCondition(llvm::Value* mask);
  void StoreContiguous(const Site& site, llvm::Value* p, llvm::Value* x, llvm::Value* mask);
  // The mask is null, or known.
  llvm::Value* LoadStrided(const Site& site, int row, int chunk, int width, llvm::Constant* mask,
                           llvm::Value* otherwise);
  // Byte-exact offsets, in elements, of the lanes of a part from the row's base.
  llvm::Value* LaneOffsets(const Site& site, int row, int chunk, int width);
  llvm::Value* LookUp(const Site& site, int row, int chunk, int width, llvm::Value* mask,
                      llvm::Value* otherwise);
  llvm::Value* GatherNarrow(const Site& site, llvm::Value* start, llvm::Value* offsets,
                            llvm::Value* mask, llvm::Value* otherwise);
  llvm::Value* Gather(const Site& site, int row, int chunk, int width, llvm::Value* mask,
                      llvm::Value* otherwise);
  void Scatter(const Site& site, int row, int chunk, llvm::Value* x, llvm::Value* mask);
  void StoreNonTemporal(const kernel::Op& op, const Site& site);

  // --- memory in short rows, one a lane (rows.cc)
  struct RowPlace {
    int buffer = -1;
    int64_t length = 0, at = 0;          // of a row, and the place in it, in elements
    std::vector<kernel::Value> indices;  // of the row; kNone for the dimensions in it
  };
  std::optional<RowPlace> RowPlaceOf(const kernel::Op& op);
  std::optional<RowPlace> RowPlaceOf(const Site& site) {  // places of a row are a step apart
    return site.step.value_or(0) > 1 ? RowPlaceOf(site.op) : std::nullopt;
  }
  bool WeavesRows(int64_t length) const;
  bool PermutesRows(int64_t length) const;
  bool TransposesRows(int64_t length) const;
  std::vector<int64_t> PartsOfRow(int64_t length) const;
  llvm::Value* LanesOfRow(int64_t length);
  std::vector<llvm::Value*> Weave(const std::vector<llvm::Value*>& places, llvm::Type* elem);
  std::vector<llvm::Value*> Unweave(const std::vector<llvm::Value*>& rows, llvm::Type* elem);
  llvm::Value* LoadFromRows(const Site& site, const RowPlace& place, int chunk);
  void FindRowStores();
  // Whether the store waits for others of its rows, or was the last of them.
  bool StoreToRows(const Site& site, const RowPlace& place);
  // Runs `body(lane)` for the set lanes of a mask, in order.
  void ForLanes(llvm::Value* mask, const std::function<void(llvm::Value*)>& body);
  // Memory on the stack for `width` elements.
  llvm::AllocaInst* Slot(llvm::Type* elem, int width);
  llvm::Value* ToMemory(llvm::Value* x);  // predicates to bytes
  llvm::Value* FromMemory(llvm::Value* x, ElementType elem);
  bool MasksInHardware(ElementType elem) const;
  bool GathersInHardware(ElementType elem) const;
  bool IsShort(int buffer) const;

  const Target& target_;
  const int lanes_;
  // The elements at each place of rows that were loaded in a block, by buffer, chunk and indices.
  // An index as a value and a number that is added to it: equal ones are computed anew.
  using RowsKey =
      std::tuple<llvm::BasicBlock*, int, int, std::vector<std::pair<llvm::Value*, int64_t>>>;
  absl::flat_hash_map<RowsKey, std::vector<llvm::Value*>> rows_;
  // The last store of each group that fills rows; and what those before it have stored so far.
  bool found_row_stores_ = false;
  absl::flat_hash_map<const kernel::Op*, const kernel::Op*> row_stores_;
  absl::flat_hash_map<const kernel::Op*, std::vector<Parts>> waiting_rows_;
  bool used_non_temporal_ = false;
  absl::flat_hash_map<kernel::Value, int> tile_registers_;  // where values are
  bool found_shared_loops_ = false;
  absl::flat_hash_map<const kernel::Op*, SharedLoop> shared_loops_;
};

// Whether a stage's code uses the tile registers, and what `ldtilecfg` then is to read before.
bool UsesTileRegisters(const kernel::Op& stage);
std::array<uint8_t, 64> TileConfiguration();

}  // namespace sinter::cpu
