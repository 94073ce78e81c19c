// The GPU's part of the walk: a tile becomes the registers that one thread holds of it, row-major
// over the register factors of its layout. Threads are told apart by coordinates that are computed
// once, in the entry block; everything else is the same code for all threads.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "codegen/gpu/target.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/multiples.h"
#include "codegen/kernel/stages.h"
#include "codegen/llvm/walk.h"

namespace sinter::gpu {

inline kernel::Axis OtherAxis(kernel::Axis axis) {
  return axis == kernel::Axis::kRows ? kernel::Axis::kCols : kernel::Axis::kRows;
}

class Tiles : public codegen::Walk {
 public:
  // `use` is of the stage that is walked; `shared_begin` is the first byte of the block's shared
  // memory behind the task buffers, a multiple of 16.
  Tiles(const kernel::Kernel& kernel, const kernel::Op& stage, const kernel::StageUse& use,
        const Target& target, int64_t shared_begin, llvm::Function& function,
        llvm::IRBuilder<>& builder, codegen::Pointwise& pointwise);

  // Of a block's shared memory that the stage uses, from its beginning.
  int64_t shared_bytes() const { return exchange_begin_ + slots_ * slot_bytes_; }

 protected:
  using Parts = codegen::Parts;
  using Access = Walk::Access;

  int Count(const kernel::Type& t) const override {
    return Registers(t, kernel::Axis::kRows) * Registers(t, kernel::Axis::kCols);
  }
  int Width(const kernel::Type&, int) const override { return 1; }
  llvm::Value* Part(kernel::Value v, int part, const kernel::Type& t) override;
  void EmitOwn(const kernel::Op& op) override;
  llvm::Value* StartOf(const kernel::Op& op, const Access& steps) override;

  // The entry block, which ends with a branch to the body, and in it the thread's coordinates.
  void EmitEntry();
  // The block's shared memory, from byte `offset` on.
  llvm::Value* SharedMemory(int64_t offset);

  const kernel::StageUse& use_;
  const Target& target_;

 private:
  // --- layouts (layout.cc)
  // An axis of extent 1 is not spread over anything.
  const std::vector<kernel::Factor>& Factors(const kernel::Type& t, kernel::Axis axis) const;
  static int Extent(const kernel::Type& t, kernel::Axis axis) {
    return axis == kernel::Axis::kRows ? t.rows : t.cols;
  }
  int Registers(const kernel::Type& t, kernel::Axis axis) const;
  // How many neighbours along the axis are in consecutive registers of one thread.
  int Run(const kernel::Type& t, kernel::Axis axis) const;
  // A coordinate is the thread's share (i32; null: 0) plus the register's.
  llvm::Value* ThreadCoordinate(const kernel::Type& t, kernel::Axis axis);
  int RegisterCoordinate(const kernel::Type& t, kernel::Axis axis, int reg) const;
  llvm::Value* Coordinate(const kernel::Type& t, kernel::Axis axis, int reg);  // i32
  // What an axis takes of the bits of a lane's or warp's number.
  kernel::ThreadBits BitsOf(const kernel::Type& t, kernel::Axis axis) const;
  // Whether these bits of the thread's number are all 0; null: there are none.
  llvm::Value* AreZero(const kernel::ThreadBits& bits);
  // Of the threads that hold copies of a tile, the one that stores it; null: there are no copies.
  llvm::Value* IsOwner(const kernel::Type& t);
  llvm::Value* Field(const kernel::Factor& factor);  // a lane's or warp's index in a factor
  llvm::Value* InEntry(const std::function<llvm::Value*()>& emit);
  void Under(llvm::Value* condition, const std::function<void()>& emit);  // null: always

  // --- memory (memory.cc)
  struct Site {  // one load or store, as its parts share it
    const kernel::Op& op;
    kernel::Type type;
    Access access;
    kernel::Axis axis = kernel::Axis::kCols;  // along which `width` registers are one access
    int width = 1;
  };
  Site SiteOf(const kernel::Op& op, const kernel::Type& t, size_t first);
  // Calls f(parts) for the registers of each access, in order.
  void ForAccesses(const Site& site, int width,
                   const std::function<void(llvm::ArrayRef<int>)>& f) const;
  llvm::Value* PointerOf(const Site& site, int part);
  llvm::Type* WordType(ElementType elem, int width);  // of an access of `width` elements
  llvm::Value* Pack(llvm::ArrayRef<llvm::Value*> elements, ElementType elem);
  llvm::Value* Unpack(llvm::Value* words, int index, int width, ElementType elem);
  void EmitLoad(const kernel::Op& op);
  void LoadNow(const kernel::Op& op);
  void EmitStore(const kernel::Op& op);
  void LoadAccess(const Site& site, llvm::ArrayRef<int> parts, llvm::Value* mask,
                  llvm::ArrayRef<llvm::Value*> otherwise, Parts& out);
  bool IsReadOnly(int buffer) const;
  // Whether its first `count` elements may be read for those that are masked off.
  bool MayReadFirst(int buffer, int count) const;
  llvm::Value* ToMemory(llvm::Value* x);  // a predicate to a byte
  llvm::Value* FromMemory(llvm::Value* x, ElementType elem);
  void EmitMask(const kernel::Op& op);
  void EmitIota(const kernel::Op& op);

  // --- copies to shared memory (copies.cc)
  // Loads of which nothing is done but to store them asynchronously.
  void FindCopies(const kernel::Block& block, const std::vector<int>& uses);
  bool EmitCopy(const kernel::Op& load, const kernel::Op& store);
  void EmitCommit();
  void EmitWait(const kernel::Op& op);

  // --- reductions (reduce.cc)
  void EmitReduce(const kernel::Op& op);
  // The first of `elements` becomes the result: by halving, as README.md of codegen/kernel says.
  Parts CombineAll(const kernel::Op& op, std::vector<Parts> elements);
  int WarpsAlong(const kernel::Op& op) const;
  void ReduceLanes(const kernel::Op& op, const kernel::Type& t, std::vector<Parts>& results);
  void ReduceWarps(const kernel::Op& op, const kernel::Type& t, std::vector<Parts>& results);
  bool IsSymmetric(const kernel::Op& op) const;
  llvm::Value* ShuffleXor(llvm::Value* x, int lanes);
  llvm::Value* ShuffleFrom(llvm::Value* x, llvm::Value* lane);
  llvm::Value* ShuffleWords(llvm::Value* x,
                            const std::function<llvm::Value*(llvm::Value*)>& shuffle);

  // --- matrix products (products.cc)
  struct MatrixLoad {
    kernel::Axis along = kernel::Axis::kCols;  // along which elements are contiguous
    int64_t pitch = 0;                         // elements between neighbours of the other one
    bool transposed = false;                   // registers hold neighbours along the other one
  };
  std::optional<MatrixLoad> MatrixLoadOf(const kernel::Op& op) const;
  bool EmitMatrixLoad(const kernel::Op& op);
  llvm::Value* Element(llvm::Value* word, int index, ElementType elem);
  llvm::Value* FragmentWord(kernel::Value v, kernel::Axis depth, int row, int col);
  void EmitDot(const kernel::Op& op);

  // --- through shared memory (exchange.cc)
  void Barrier();
  // What `op` takes of an exchange slot; 0 where nothing leaves its thread or warp.
  int64_t ExchangeBytes(const kernel::Op& op) const;
  void FindExchanges(const kernel::Block& block);
  // The byte of shared memory at which `op`, about to be emitted, may write: no thread still reads
  // it.
  int64_t BeginExchange(const kernel::Op& op);
  void EmitTranspose(const kernel::Op& op);
  void EmitRelayout(const kernel::Op& op);
  void Exchange(const kernel::Op& op, bool swap);
  void EmitInterleave(const kernel::Op& op);
  void EmitDeinterleave(const kernel::Op& op);

  const kernel::Multiples multiples_;
  llvm::Instruction* entry_end_ = nullptr;
  llvm::Value *lane_ = nullptr, *warp_ = nullptr;  // i32
  std::map<std::tuple<int, kernel::Axis>, llvm::Value*> coordinates_;
  std::map<std::tuple<int, int>, llvm::Value*> zero_;
  // Of values that were loaded as matrices: registers of a fragment, by their first part.
  std::map<kernel::Value, std::map<int, llvm::Value*>> words_;
  std::map<kernel::Value, const kernel::Op*> copies_;  // what loads that wait for their store give
  llvm::Value* matrix_offset_ = nullptr;  // a lane's share of an address, while one is resolved

  // Operations that exchange through shared memory: the block they stand in, and where in it.
  struct Position {
    const kernel::Block* block;
    size_t index;
  };
  std::map<const kernel::Op*, Position> exchanges_;
  const kernel::Op* last_exchange_ = nullptr;
  int slot_ = 0, slots_ = 1;
  const int64_t exchange_begin_;
  int64_t slot_bytes_ = 0;
};

}  // namespace sinter::gpu
