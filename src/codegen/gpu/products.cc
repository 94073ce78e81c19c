// Matrix products on tensor cores: mma.sync, and ldmatrix for its operands in shared memory (PTX
// ISA, "Matrix fragments for mma.m16n8k*" and "ldmatrix"). A register of a fragment holds 4 bytes
// of neighbours along the contracted axis.
#include <array>
#include <bit>

#include "base/status.h"
#include "codegen/gpu/tiles.h"
#include "codegen/kernel/fragments.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace sinter::gpu {

using kernel::Axis;
using kernel::Factor;
using kernel::HardwareDim;
using kernel::Op;
using llvm::Value;

namespace {

constexpr int kRowBytes = 16;  // of an 8x8 matrix of ldmatrix
constexpr Factor kEightLanes{HardwareDim::kLane, 8, 4}, kFourLanes{HardwareDim::kLane, 4, 1};

// Whether the axis runs along rows of a fragment: 4 lanes along it, each with `packed` neighbours.
bool IsPacked(const std::vector<Factor>& factors, int packed) {
  size_t n = factors.size();
  if (packed > 1) {
    if (n == 0 || factors[n - 1].dim != HardwareDim::kReg || factors[n - 1].extent % packed != 0 ||
        factors[n - 1].extent != packed)
      return false;
    --n;
  }
  return n > 0 && factors[n - 1] == kFourLanes;
}

}  // namespace

// --- operands ------------------------------------------------------------------------------------

// What a load takes from shared memory as 8x8 matrices of 16-bit elements, where its layout is a
// fragment's, rows of 16 bytes are contiguous, and the target has the instruction.
std::optional<Tiles::MatrixLoad> Tiles::MatrixLoadOf(const Op& op) const {
  const kernel::Type& t = type(op.results[0]);
  const kernel::Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
  const int bytes = ByteWidth(t.elem);
  if (target_.sm < 75 || op.masked || buffer.space != kernel::Space::kTask || bytes > 4 ||
      IsPredicate(t.elem) || t.rows == 1 || t.cols == 1)
    return std::nullopt;
  MatrixLoad load;
  // The axis along which elements are neighbours in memory, and the other one's distance.
  int64_t steps[2] = {0, 0};
  for (size_t d = 0; d < buffer.shape.size(); d++) {
    const auto stride = facts_.Constant(buffer.strides[d]);
    if (!stride || !type(op.operands[d]).is_scalar() ||
        multiples_.Of(op.operands[d]) * *stride * bytes % kRowBytes != 0)
      return std::nullopt;
    steps[0] += op.steps[d].rows * *stride;
    steps[1] += op.steps[d].cols * *stride;
  }
  load.along = steps[1] == 1 ? Axis::kCols : Axis::kRows;
  load.pitch = steps[static_cast<size_t>(OtherAxis(load.along))];
  if (steps[static_cast<size_t>(load.along)] != 1 || load.pitch * bytes % kRowBytes != 0)
    return std::nullopt;
  const std::vector<Factor>&along = Factors(t, load.along),
        &other = Factors(t, OtherAxis(load.along));
  const int packed = 4 / bytes;
  if (IsPacked(along, packed) && !other.empty() && other.back() == kEightLanes) return load;
  load.transposed = true;
  const bool fits =
      bytes == 2 && IsPacked(other, packed) && !along.empty() && along.back() == kEightLanes;
  return fits ? std::optional(load) : std::nullopt;
}

// Up to four matrices an instruction: lane 8 i + r gives the address of row r of the i-th. Matrices
// are neighbours along both axes where there are several along both.
bool Tiles::EmitMatrixLoad(const Op& op) {
  const std::optional<MatrixLoad> load = MatrixLoadOf(op);
  if (!load) return false;
  const kernel::Type& t = type(op.results[0]);
  const int packed = 4 / ByteWidth(t.elem);
  const Axis along = load->along, other = OtherAxis(along);
  const Axis depth = load->transposed ? other : along;  // along which registers hold neighbours
  const int cols = Registers(t, Axis::kCols);
  // Matrices along an axis, and the register and coordinate of the first element of each.
  auto registers = [&](Axis axis) { return axis == depth ? packed : 1; };
  auto count = [&](Axis axis) { return Registers(t, axis) / registers(axis); };
  auto at = [&](Axis axis, int matrix) {
    return RegisterCoordinate(t, axis, matrix * registers(axis));
  };
  auto power = [](int n, int most) {
    int p = 1;
    while (p < most && n % (2 * p) == 0) p *= 2;
    return p;
  };
  // Of the matrices of an instruction, distances must not depend on which instruction it is.
  auto regular = [&](Axis axis, int n) {
    for (int first = 0; first < count(axis); first += n) {
      for (int i = 0; i < n; i++) {
        int sum = 0;  // of the distances that the bits of i stand for
        for (int bit = 1; bit < n; bit *= 2)
          sum += (i & bit) != 0 ? at(axis, bit) - at(axis, 0) : 0;
        if (at(axis, first + i) - at(axis, first) != sum) return false;
      }
    }
    return true;
  };
  int n[2];  // of an instruction, by axis
  n[0] = power(count(Axis::kRows), 2);
  n[1] = power(count(Axis::kCols), 4 / n[0]);
  if (n[1] == 1) n[0] = power(count(Axis::kRows), 4);
  for (Axis axis : {Axis::kRows, Axis::kCols}) {
    while (!regular(axis, n[static_cast<size_t>(axis)])) n[static_cast<size_t>(axis)] /= 2;
  }
  const int matrices = n[0] * n[1];

  // Where a lane's row of the first instruction is: its warp's share, its matrix, its row in that.
  Value* lane_offset = InEntry([&]() -> Value* {
    Value* sum = b_.getInt32(0);
    auto add = [&](Value* x, int64_t by) {
      if (x != nullptr && by != 0)
        sum = b_.CreateAdd(sum, b_.CreateMul(x, b_.getInt32(static_cast<uint32_t>(by))));
    };
    for (Axis axis : {Axis::kRows, Axis::kCols}) {
      int64_t weight = axis == along ? 1 : load->pitch;
      const std::vector<Factor>& factors = Factors(t, axis);
      for (auto f = factors.rbegin(); f != factors.rend(); weight *= f->extent, ++f) {
        if (f->dim == HardwareDim::kWarp) add(Field(*f), weight);
      }
    }
    add(b_.CreateAnd(lane_, b_.getInt32(7)), load->pitch);
    // Rows of matrices are counted by the upper bits.
    for (int bit = 1; bit < matrices; bit *= 2) {
      const Axis axis = bit < n[1] ? Axis::kCols : Axis::kRows;
      const int matrix = axis == Axis::kCols ? bit : bit / n[1];
      Value* set =
          b_.CreateAnd(b_.CreateLShr(lane_, b_.getInt32(static_cast<uint32_t>(
                                                3 + std::countr_zero(static_cast<unsigned>(bit))))),
                       b_.getInt32(1));
      // Distances of a regular set add up.
      add(set, (at(axis, matrix) - at(axis, 0)) * (axis == along ? int64_t{1} : load->pitch));
    }
    return b_.CreateZExt(sum, b_.getInt64Ty());
  });
  matrix_offset_ = lane_offset;
  const Access access = Resolve(op, 0);
  matrix_offset_ = nullptr;

  static constexpr llvm::Intrinsic::ID kPlain[] = {
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16};
  static constexpr llvm::Intrinsic::ID kTransposed[] = {
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
      llvm::Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16};
  const auto which = static_cast<size_t>(std::countr_zero(static_cast<unsigned>(matrices)));
  Parts out(static_cast<size_t>(Count(t)));
  std::map<int, Value*>& words = words_[op.results[0]];
  words.clear();
  for (int row = 0; row < count(Axis::kRows); row += n[0]) {
    for (int col = 0; col < count(Axis::kCols); col += n[1]) {
      Value* p = Pointer(op, access, at(Axis::kRows, row), at(Axis::kCols, col));
      Value* all = b_.CreateIntrinsic(load->transposed ? kTransposed[which] : kPlain[which],
                                      {p->getType()}, {p});
      Tag(all, op.buffer);
      for (int i = 0; i < matrices; i++) {
        Value* word = matrices == 1 ? all : b_.CreateExtractValue(all, {static_cast<unsigned>(i)});
        const int first_row = (row + i / n[1]) * registers(Axis::kRows),
                  first_col = (col + i % n[1]) * registers(Axis::kCols);
        const int first = first_row * cols + first_col;
        words[first] = word;
        for (int e = 0; e < packed; e++) {
          const int part = depth == Axis::kCols ? first + e : first + e * cols;
          out[static_cast<size_t>(part)] = Element(word, e, t.elem);
        }
      }
    }
  }
  Bind(op.results[0], std::move(out));
  return true;
}

// One of the elements of a register.
Value* Tiles::Element(Value* word, int index, ElementType elem) {
  if (ByteWidth(elem) == 4) return b_.CreateBitCast(word, Memory(elem));
  if (index > 0)
    word = b_.CreateLShr(word, b_.getInt32(static_cast<uint32_t>(8 * index * ByteWidth(elem))));
  return b_.CreateTrunc(word, Memory(elem));
}

// The register of a fragment that begins with the element (row, col) of what the thread holds, its
// others along `depth`.
Value* Tiles::FragmentWord(kernel::Value v, Axis depth, int row, int col) {
  const kernel::Type& t = type(v);
  const int cols = Registers(t, Axis::kCols), packed = 4 / ByteWidth(t.elem);
  const int first = row * cols + col;
  if (const auto known = words_.find(v); known != words_.end()) {
    if (const auto word = known->second.find(first); word != known->second.end())
      return word->second;
  }
  if (packed == 1) {
    return b_.CreateBitCast(Part(v, first, t), b_.getInt32Ty());
  }
  llvm::SmallVector<Value*, 4> elements;
  for (int e = 0; e < packed; e++)
    elements.push_back(Part(v, depth == Axis::kCols ? first + e : first + e * cols, t));
  return Pack(elements, t.elem);
}

// --- products ------------------------------------------------------------------------------------

void Tiles::EmitDot(const Op& op) {
  const kernel::Value a = op.operands[0], b = op.operands[1];
  const kernel::Type &left = type(a), &sum = type(op.results[0]);
  const ElementType elem = left.elem;
  llvm::Intrinsic::ID instruction = llvm::Intrinsic::not_intrinsic;
  bool halved = false;  // two instructions of half the depth, of GPUs that have no others
  if (target_.sm >= 80) {
    instruction = elem == ElementType::F16    ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32
                  : elem == ElementType::BF16 ? llvm::Intrinsic::nvvm_mma_m16n8k16_row_col_bf16
                  : elem == ElementType::F32  ? llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_tf32
                                              : llvm::Intrinsic::nvvm_mma_m16n8k32_row_col_s8;
  } else if (target_.sm >= 75 && elem == ElementType::F16) {
    instruction = llvm::Intrinsic::nvvm_mma_m16n8k8_row_col_f32_f32;
    halved = true;
  } else {
    return Fail(
        Internal("kernel {}: {} has no product of {}", kernel_.name, target_.name, Name(elem)));
  }
  const int packed = 4 / ByteWidth(elem);
  const int blocks = Registers(left, Axis::kCols) / (2 * packed);
  const int rows = Registers(sum, Axis::kRows), cols = Registers(sum, Axis::kCols);
  llvm::Type* word = elem == ElementType::F16
                         ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(b_.getHalfTy(), 2))
                         : b_.getInt32Ty();
  auto operand = [&](Value* x) -> Value* {
    if (elem == ElementType::F32) {
      return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_f2tf32_rna, {},
                                {b_.CreateBitCast(x, b_.getFloatTy())});
    }
    return b_.CreateBitCast(x, word);
  };
  // Registers of a fragment in the instruction's order: rows first, then the contracted axis.
  std::map<std::pair<int, int>, std::array<Value*, 4>> lefts;
  std::map<std::pair<int, int>, std::array<Value*, 2>> rights;
  for (int k = 0; k < blocks; k++) {
    for (int i = 0; i < rows / 2; i++) {
      for (int r = 0; r < 4; r++) {
        lefts[{i, k}][static_cast<size_t>(r)] =
            operand(FragmentWord(a, Axis::kCols, 2 * i + r % 2, (2 * k + r / 2) * packed));
      }
    }
    for (int j = 0; j < cols / 2; j++) {
      for (int r = 0; r < 2; r++)
        rights[{j, k}][static_cast<size_t>(r)] =
            operand(FragmentWord(b, Axis::kRows, (2 * k + r) * packed, j));
    }
  }
  Parts out(static_cast<size_t>(Count(sum)));
  for (int i = 0; i < rows / 2; i++) {
    for (int j = 0; j < cols / 2; j++) {
      std::array<size_t, 4> parts{};
      llvm::SmallVector<Value*, 4> total;
      for (int q = 0; q < 4; q++) {
        parts[static_cast<size_t>(q)] = static_cast<size_t>((2 * i + q / 2) * cols + 2 * j + q % 2);
        total.push_back(Part(op.operands[2], static_cast<int>(parts[static_cast<size_t>(q)]), sum));
      }
      for (int k = 0; k < blocks; k++) {
        const std::array<Value*, 4>& x = lefts[{i, k}];
        const std::array<Value*, 2>& y = rights[{j, k}];
        auto multiply = [&](llvm::ArrayRef<Value*> factors) {
          llvm::SmallVector<Value*, 10> args(factors);
          args.append(total.begin(), total.end());
          Value* all = b_.CreateIntrinsic(instruction, {}, args);
          for (unsigned q = 0; q < 4; q++) total[q] = b_.CreateExtractValue(all, {q});
        };
        if (halved) {
          multiply({x[0], x[1], y[0]});
          multiply({x[2], x[3], y[1]});
        } else {
          multiply({x[0], x[1], x[2], x[3], y[0], y[1]});
        }
      }
      for (size_t q = 0; q < 4; q++) out[parts[q]] = total[q];
    }
  }
  Bind(op.results[0], std::move(out));
}

}  // namespace sinter::gpu
