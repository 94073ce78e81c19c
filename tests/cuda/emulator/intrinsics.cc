#include "cuda/emulator/intrinsics.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/text.h"
#include "cuda/emulator/block.h"

namespace sinter::emulator {
namespace {

using Kind = Intrinsic::Kind;

template <class T>
T As(uint64_t word) {
  T value;
  std::memcpy(&value, &word, sizeof value);
  return value;
}
template <class T>
uint64_t Word(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof value);
  return word;
}

// --- where a thread is

template <std::array<uint32_t, 3> Geometry::*kWhat, int kAxis>
void Extent(const ThreadCall& c) {
  c.results[0] = (c.block.geometry().*kWhat)[kAxis];
}
template <int kAxis>
void ThreadIndex(const ThreadCall& c) {
  const auto& b = c.block.geometry().block;
  const uint32_t t = c.block.thread();
  c.results[0] = kAxis == 0 ? t % b[0] : kAxis == 1 ? t / b[0] % b[1] : t / b[0] / b[1];
}
void LaneIndex(const ThreadCall& c) { c.results[0] = c.block.thread() % 32; }

// --- approximations: as exact as the host is, so that a kernel must not rely on their errors

template <float (*kFunction)(float)>
void Approximate(const ThreadCall& c) {
  c.results[0] = Word(kFunction(As<float>(c.arguments[0])));
}
float Exp2(float x) { return std::exp2(x); }
float Log2(float x) { return std::log2(x); }
float Reciprocal(float x) { return 1 / x; }
float ReciprocalRoot(float x) { return 1 / std::sqrt(x); }
float Tanh(float x) { return std::tanh(x); }

// cvt.rna.tf32.f32: to nearest, ties away from zero. The low bits are undefined; here they are 1,
// so that who looks at them is noticed.
void RoundToTf32(const ThreadCall& c) {
  auto bits = static_cast<uint32_t>(c.arguments[0]);
  if ((bits & 0x7fffffffU) <= 0x7f800000U) bits += 0x1000U;
  c.results[0] = bits | 0x1fffU;
}

// --- shuffles: PTX ISA, "shfl.sync". Arguments: mask, value, b, c = clamp | segment mask << 8.

enum class Shuffle { kUp, kDown, kButterfly, kIndex };
template <Shuffle kMode>
void DoShuffle(const WarpCall& c) {
  std::array<uint64_t, 32> out{};
  for (uint32_t lane = 0; lane < 32; lane++) {
    if (c.arguments[lane] == nullptr) continue;
    const auto b = static_cast<int>(c.arguments[lane][2] & 31);
    const auto clamp = static_cast<int>(c.arguments[lane][3] & 31);
    const auto segment = static_cast<int>(c.arguments[lane][3] >> 8 & 31);
    const auto l = static_cast<int>(lane);
    const int most = (l & segment) | (clamp & ~segment);
    int from = l;
    bool in_segment = true;
    switch (kMode) {
      case Shuffle::kUp:
        from = l - b;
        in_segment = from >= most;
        break;
      case Shuffle::kDown:
        from = l + b;
        in_segment = from <= most;
        break;
      case Shuffle::kButterfly:
        from = l ^ b;
        in_segment = from <= most;
        break;
      case Shuffle::kIndex:
        from = (l & segment) | (b & ~segment);
        in_segment = from <= most;
        break;
    }
    if (!in_segment) from = l;
    if (!(c.mask >> from & 1))
      c.block.Fail(
          Format("lane {} reads lane {}, which is not in the mask {:#x}", lane, from, c.mask));
    out[lane] = c.arguments[static_cast<size_t>(from)][1];
  }
  for (size_t lane = 0; lane < 32; lane++) {
    if (c.results[lane] != nullptr) c.results[lane][0] = out[lane];
  }
}

// --- matrix products: PTX ISA, "Matrix fragments for mma.m16n8k*". A register holds `kPack`
// elements of A or B. Sums are of f32 (or s32), in the order of k; the hardware's order is not
// documented.

// `kHalf`: of half the depth, m16n8k8 of f16, whose operands have half the registers.
template <class Accumulator, int kPack, auto kDecode, bool kHalf = false>
void MatrixProduct(const WarpCall& c) {
  constexpr int kDepth = (kHalf ? 4 : 8) * kPack, kLeft = kHalf ? 2 : 4, kRight = kHalf ? 1 : 2;
  Accumulator a[16][kDepth], b[kDepth][8];
  for (int lane = 0; lane < 32; lane++) {
    const uint64_t* x = c.arguments[static_cast<size_t>(lane)];
    const int group = lane / 4, pair = lane % 4;
    for (int h = 0; h < kPack; h++) {
      for (int r = 0; r < kLeft; r++) {
        a[group + r % 2 * 8][r / 2 * 4 * kPack + pair * kPack + h] =
            kDecode(static_cast<uint32_t>(x[r]), h);
      }
      for (int r = 0; r < kRight; r++) {
        b[r * 4 * kPack + pair * kPack + h][group] =
            kDecode(static_cast<uint32_t>(x[kLeft + r]), h);
      }
    }
  }
  for (int lane = 0; lane < 32; lane++) {
    for (int q = 0; q < 4; q++) {
      const int row = lane / 4 + q / 2 * 8, col = lane % 4 * 2 + q % 2;
      auto sum = As<Accumulator>(c.arguments[static_cast<size_t>(lane)][kLeft + kRight + q]);
      for (int k = 0; k < kDepth; k++) sum += a[row][k] * b[k][col];
      c.results[static_cast<size_t>(lane)][q] = Word(sum);
    }
  }
}
float BFloat(uint32_t word, int half) { return As<float>(half ? word & 0xffff0000U : word << 16); }
float Half(uint32_t word, int half) {
  const uint32_t bits = word >> (16 * half) & 0xffff, exponent = bits >> 10 & 31,
                 fraction = bits & 1023;
  const float sign = bits & 0x8000 ? -1.0F : 1.0F;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction | 1024), static_cast<int>(exponent) - 25);
}
// The low 13 bits do not enter.
float Tf32(uint32_t word, int) { return As<float>(word & 0xffffe000U); }
int32_t Signed8(uint32_t word, int byte) { return static_cast<int8_t>(word >> (8 * byte)); }
int32_t Unsigned8(uint32_t word, int byte) { return static_cast<uint8_t>(word >> (8 * byte)); }

// --- ldmatrix: PTX ISA. Lane 8 i + r holds the address of row r of the i-th 8x8 matrix of 16-bit
// elements.

template <int kCount>
void MatrixRow(const ThreadCall& c) {
  if (c.block.thread() % 32 >= 8 * kCount) return;
  c.block.AccessBytes(As<char*>(c.arguments[0]), 16, 16, 3, false, false);
  c.block.CountBanks(As<char*>(c.arguments[0]), 16);
}
template <int kCount, bool kTranspose>
void LoadMatrix(const WarpCall& c) {
  for (int lane = 0; lane < 32; lane++) {
    for (int m = 0; m < kCount; m++) {
      uint16_t pair[2];
      for (int e = 0; e < 2; e++) {
        const int row = kTranspose ? lane % 4 * 2 + e : lane / 4,
                  col = kTranspose ? lane / 4 : lane % 4 * 2 + e;
        const char* p = As<const char*>(c.arguments[static_cast<size_t>(m * 8 + row)][0]);
        std::memcpy(&pair[e], p + col * 2, 2);
      }
      c.results[static_cast<size_t>(lane)][m] = pair[0] | uint64_t{pair[1]} << 16;
    }
  }
}

// --- cp.async: the copy may land at once or as late as the wait, so both are accesses, and the
// destination holds junk in between, which nobody may look at.

template <size_t kBytes, bool kSized>
void CopyBegin(const ThreadCall& c) {
  auto* to = As<char*>(c.arguments[0]);
  auto* from = As<char*>(c.arguments[1]);
  size_t valid = kBytes;
  if (kSized) valid = std::min(valid, static_cast<size_t>(static_cast<uint32_t>(c.arguments[2])));
  if (valid > 0) c.block.AccessBytes(from, valid, kBytes, 1, false, false);
  c.block.AccessBytes(to, kBytes, kBytes, 3, true, false);
  c.block.CountBanks(to, kBytes);
  std::memset(to, 0xff, kBytes);
  c.block.SetInFlight(to, kBytes, true);
  c.block.copies().list.push_back({to, from, kBytes, valid, 0});
}
void Land(const ThreadCall& c, int up_to_group) {
  auto& list = c.block.copies().list;
  for (const PendingCopy& p : list) {
    if (p.group > up_to_group) continue;
    c.block.SetInFlight(p.destination, p.bytes, false);
    c.block.AccessBytes(p.destination, p.bytes, p.bytes, 3, true, false);
    std::memcpy(p.destination, p.source, p.zero_from);
    std::memset(p.destination + p.zero_from, 0, p.bytes - p.zero_from);
  }
  std::erase_if(list, [&](const PendingCopy& p) { return p.group <= up_to_group; });
}
void CopyCommit(const ThreadCall& c) {
  PendingCopies& copies = c.block.copies();
  copies.groups++;
  for (PendingCopy& p : copies.list) {
    if (p.group == 0) p.group = copies.groups;
  }
}
void CopyWait(const ThreadCall& c) {
  PendingCopies& copies = c.block.copies();
  const int pending = static_cast<int>(c.arguments[0]);
  // Copies of the open group are not waited for.
  std::vector<PendingCopy> open;
  for (const PendingCopy& p : copies.list) {
    if (p.group == 0) open.push_back(p);
  }
  std::erase_if(copies.list, [](const PendingCopy& p) { return p.group == 0; });
  Land(c, copies.groups - pending);
  copies.list.insert(copies.list.end(), open.begin(), open.end());
}
void CopyWaitAll(const ThreadCall& c) { Land(c, c.block.copies().groups); }

constexpr Intrinsic Thread(std::string_view name, void (*f)(const ThreadCall&)) {
  return {.name = name, .kind = Kind::kThread, .thread = f};
}
constexpr Intrinsic Warp(std::string_view name, void (*f)(const WarpCall&), int mask,
                         void (*arrive)(const ThreadCall&) = nullptr) {
  return {.name = name, .kind = Kind::kWarp, .warp = f, .mask_argument = mask, .arrive = arrive};
}

constexpr Intrinsic kIntrinsics[] = {
    Thread("read.ptx.sreg.tid.x", ThreadIndex<0>),
    Thread("read.ptx.sreg.tid.y", ThreadIndex<1>),
    Thread("read.ptx.sreg.tid.z", ThreadIndex<2>),
    Thread("read.ptx.sreg.ntid.x", Extent<&Geometry::block, 0>),
    Thread("read.ptx.sreg.ntid.y", Extent<&Geometry::block, 1>),
    Thread("read.ptx.sreg.ntid.z", Extent<&Geometry::block, 2>),
    Thread("read.ptx.sreg.ctaid.x", Extent<&Geometry::index, 0>),
    Thread("read.ptx.sreg.ctaid.y", Extent<&Geometry::index, 1>),
    Thread("read.ptx.sreg.ctaid.z", Extent<&Geometry::index, 2>),
    Thread("read.ptx.sreg.nctaid.x", Extent<&Geometry::grid, 0>),
    Thread("read.ptx.sreg.nctaid.y", Extent<&Geometry::grid, 1>),
    Thread("read.ptx.sreg.nctaid.z", Extent<&Geometry::grid, 2>),
    Thread("read.ptx.sreg.laneid", LaneIndex),

    {.name = "barrier.cta.sync.aligned.all", .kind = Kind::kBarrier},

    Warp("shfl.sync.up.i32", DoShuffle<Shuffle::kUp>, 0),
    Warp("shfl.sync.up.f32", DoShuffle<Shuffle::kUp>, 0),
    Warp("shfl.sync.down.i32", DoShuffle<Shuffle::kDown>, 0),
    Warp("shfl.sync.down.f32", DoShuffle<Shuffle::kDown>, 0),
    Warp("shfl.sync.bfly.i32", DoShuffle<Shuffle::kButterfly>, 0),
    Warp("shfl.sync.bfly.f32", DoShuffle<Shuffle::kButterfly>, 0),
    Warp("shfl.sync.idx.i32", DoShuffle<Shuffle::kIndex>, 0),
    Warp("shfl.sync.idx.f32", DoShuffle<Shuffle::kIndex>, 0),

    Thread("ex2.approx.f32", Approximate<Exp2>),
    Thread("ex2.approx.f", Approximate<Exp2>),
    Thread("lg2.approx.f", Approximate<Log2>),
    Thread("rcp.approx.ftz.f", Approximate<Reciprocal>),
    Thread("rsqrt.approx.f", Approximate<ReciprocalRoot>),
    Thread("tanh.approx.f32", Approximate<Tanh>),
    Thread("f2tf32.rna", RoundToTf32),

    Warp("mma.m16n8k16.row.col.bf16", MatrixProduct<float, 2, BFloat>, -1),
    Warp("mma.m16n8k16.row.col.f32.f32", MatrixProduct<float, 2, Half>, -1),
    Warp("mma.m16n8k8.row.col.f32.f32", MatrixProduct<float, 2, Half, true>, -1),
    Warp("mma.m16n8k8.row.col.tf32", MatrixProduct<float, 1, Tf32>, -1),
    Warp("mma.m16n8k32.row.col.s8", MatrixProduct<int32_t, 4, Signed8>, -1),
    Warp("mma.m16n8k32.row.col.u8", MatrixProduct<int32_t, 4, Unsigned8>, -1),

    Warp("ldmatrix.sync.aligned.m8n8.x1.b16.p3", LoadMatrix<1, false>, -1, MatrixRow<1>),
    Warp("ldmatrix.sync.aligned.m8n8.x2.b16.p3", LoadMatrix<2, false>, -1, MatrixRow<2>),
    Warp("ldmatrix.sync.aligned.m8n8.x4.b16.p3", LoadMatrix<4, false>, -1, MatrixRow<4>),
    Warp("ldmatrix.sync.aligned.m8n8.x1.trans.b16.p3", LoadMatrix<1, true>, -1, MatrixRow<1>),
    Warp("ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3", LoadMatrix<2, true>, -1, MatrixRow<2>),
    Warp("ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3", LoadMatrix<4, true>, -1, MatrixRow<4>),

    Thread("cp.async.ca.shared.global.4", CopyBegin<4, false>),
    Thread("cp.async.ca.shared.global.8", CopyBegin<8, false>),
    Thread("cp.async.ca.shared.global.16", CopyBegin<16, false>),
    Thread("cp.async.cg.shared.global.16", CopyBegin<16, false>),
    Thread("cp.async.ca.shared.global.4.s", CopyBegin<4, true>),
    Thread("cp.async.ca.shared.global.8.s", CopyBegin<8, true>),
    Thread("cp.async.ca.shared.global.16.s", CopyBegin<16, true>),
    Thread("cp.async.cg.shared.global.16.s", CopyBegin<16, true>),
    Thread("cp.async.commit.group", CopyCommit),
    Thread("cp.async.wait.group", CopyWait),
    Thread("cp.async.wait.all", CopyWaitAll),
};

}  // namespace

const Intrinsic* FindIntrinsic(std::string_view name) {
  for (const Intrinsic& i : kIntrinsics) {
    if (i.name == name) return &i;
  }
  return nullptr;
}

}  // namespace sinter::emulator
