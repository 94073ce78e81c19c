#include "cuda/emulator/kernels.h"

#include <cmath>
#include <cstring>

#include "base/status.h"

namespace sinter::emulator {
namespace {

using Buffers = std::vector<std::vector<float>>;

// Values that tell neighbours apart, and whose sums of a few hundred are exact.
std::vector<float> Ramp(size_t count, int step) {
  std::vector<float> v(count);
  for (size_t i = 0; i < count; i++)
    v[i] = static_cast<float>((static_cast<int>(i) * step) % 61 - 30);
  return v;
}

// o = a * b + a, four elements a thread, n vectors, the last block half empty.
constexpr const char* kElementwise = R"(
target triple = "nvptx64-nvidia-cuda"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
define ptx_kernel void @elementwise(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %o, i32 %n) #0 {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %m = mul i32 %c, 64
  %i = add i32 %m, %t
  %ok = icmp ult i32 %i, %n
  br i1 %ok, label %body, label %end
body:
  %pa = getelementptr <4 x float>, ptr addrspace(1) %a, i32 %i
  %pb = getelementptr <4 x float>, ptr addrspace(1) %b, i32 %i
  %po = getelementptr <4 x float>, ptr addrspace(1) %o, i32 %i
  %va = load <4 x float>, ptr addrspace(1) %pa, align 16, !invariant.load !0
  %vb = load <4 x float>, ptr addrspace(1) %pb, align 16, !invariant.load !0
  %p = fmul <4 x float> %va, %vb
  %s = fadd <4 x float> %p, %va
  store <4 x float> %s, ptr addrspace(1) %po, align 16
  br label %end
end:
  ret void
}
attributes #0 = { "nvvm.maxntid"="64" }
!0 = !{}
)";

// o[row] = sum of 128 elements: butterflies, a word a warp, all threads combine.
constexpr const char* kRowSum = R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define internal float @exchange(float %x, i32 %distance) {
  %i = bitcast float %x to i32
  %y = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 %distance, i32 31)
  %f = bitcast i32 %y to float
  ret float %f
}
define ptx_kernel void @row_sum(ptr addrspace(1) %x, ptr addrspace(1) %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %row = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %base = mul i32 %row, 128
  %i = add i32 %base, %t
  %p = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %v1 = call float @exchange(float %v, i32 16)
  %s1 = fadd float %v, %v1
  %v2 = call float @exchange(float %s1, i32 8)
  %s2 = fadd float %s1, %v2
  %v3 = call float @exchange(float %s2, i32 4)
  %s3 = fadd float %s2, %v3
  %v4 = call float @exchange(float %s3, i32 2)
  %s4 = fadd float %s3, %v4
  %v5 = call float @exchange(float %s4, i32 1)
  %s5 = fadd float %s4, %v5
  %first = icmp eq i32 %lane, 0
  br i1 %first, label %put, label %meet
put:
  %q = getelementptr float, ptr addrspace(3) @shared, i32 %warp
  store float %s5, ptr addrspace(3) %q, align 4
  br label %meet
meet:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %all = load <4 x float>, ptr addrspace(3) @shared, align 16
  %a = extractelement <4 x float> %all, i32 0
  %b = extractelement <4 x float> %all, i32 1
  %c = extractelement <4 x float> %all, i32 2
  %d = extractelement <4 x float> %all, i32 3
  %ab = fadd float %a, %b
  %cd = fadd float %c, %d
  %sum = fadd float %ab, %cd
  %one = icmp eq i32 %t, 0
  br i1 %one, label %out, label %end
out:
  %r = getelementptr float, ptr addrspace(1) %o, i32 %row
  store float %sum, ptr addrspace(1) %r, align 4
  br label %end
end:
  ret void
}
)";

// o[j, i] = x[i, j] of 64x64: blocks of 32x32 through a tile of pitch 33, 128 threads.
constexpr const char* kTranspose = R"(
target triple = "nvptx64-nvidia-cuda"
@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @transpose(ptr addrspace(1) %x, ptr addrspace(1) %o) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %bi = lshr i32 %c, 1
  %bj = and i32 %c, 1
  %lane = and i32 %t, 31
  %warp = lshr i32 %t, 5
  %i0 = mul i32 %bi, 32
  %j0 = mul i32 %bj, 32
  br label %in
in:
  %r = phi i32 [ %warp, %0 ], [ %r1, %in ]
  %gi = add i32 %i0, %r
  %gj = add i32 %j0, %lane
  %gr = mul i32 %gi, 64
  %g = add i32 %gr, %gj
  %p = getelementptr float, ptr addrspace(1) %x, i32 %g
  %v = load float, ptr addrspace(1) %p, align 4
  %q = getelementptr [32 x [33 x float]], ptr addrspace(3) @tile, i32 0, i32 %r, i32 %lane
  store float %v, ptr addrspace(3) %q, align 4
  %r1 = add i32 %r, 4
  %more = icmp ult i32 %r1, 32
  br i1 %more, label %in, label %turn
turn:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %out
out:
  %s = phi i32 [ %warp, %turn ], [ %s1, %out ]
  %tq = getelementptr [32 x [33 x float]], ptr addrspace(3) @tile, i32 0, i32 %lane, i32 %s
  %w = load float, ptr addrspace(3) %tq, align 4
  %oi = add i32 %j0, %s
  %oj = add i32 %i0, %lane
  %or = mul i32 %oi, 64
  %og = add i32 %or, %oj
  %op = getelementptr float, ptr addrspace(1) %o, i32 %og
  store float %w, ptr addrspace(1) %op, align 4
  %s1 = add i32 %s, 4
  %again = icmp ult i32 %s1, 32
  br i1 %again, label %out, label %end
end:
  ret void
}
)";

// Three times x[i] = x[i] + x[i+1 mod 64] in shared memory: two barriers a round.
constexpr const char* kRounds = R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
@weights = internal addrspace(4) constant [4 x float] [float 1.0, float 2.0, float 3.0, float 4.0], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
define ptx_kernel void @rounds(ptr addrspace(1) %x) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %b = mul i32 %c, 64
  %i = add i32 %b, %t
  %p = getelementptr float, ptr addrspace(1) %x, i32 %i
  %v = load float, ptr addrspace(1) %p, align 4
  %mine = getelementptr float, ptr addrspace(3) @shared, i32 %t
  store float %v, ptr addrspace(3) %mine, align 4
  %u = add i32 %t, 1
  %w = and i32 %u, 63
  %next = getelementptr float, ptr addrspace(3) @shared, i32 %w
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %k1, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %own = load float, ptr addrspace(3) %mine, align 4
  %other = load float, ptr addrspace(3) %next, align 4
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; before writing
  %wp = getelementptr [4 x float], ptr addrspace(4) @weights, i32 0, i32 %k
  %weight = load float, ptr addrspace(4) %wp, align 4
  %scaled = fmul float %other, %weight
  %sum = fadd float %own, %scaled
  store float %sum, ptr addrspace(3) %mine, align 4
  %k1 = add i32 %k, 1
  %more = icmp ult i32 %k1, 3
  br i1 %more, label %loop, label %end
end:
  %result = load float, ptr addrspace(3) %mine, align 4
  store float %result, ptr addrspace(1) %p, align 4
  ret void
}
)";

// c[16x8] = a[16x16] b[16x8] in bf16 (given as the upper halves of floats), one warp: copies to
// shared memory, ldmatrix, mma. a lies row by row in bf16; b lies transposed, 8 rows of 16.
constexpr const char* kProduct = R"(
target triple = "nvptx64-nvidia-cuda"
@shared = external addrspace(3) global [0 x i8], align 16
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3), ptr addrspace(1))
declare void @llvm.nvvm.cp.async.commit.group()
declare void @llvm.nvvm.cp.async.wait.group(i32)
declare {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3))
declare {i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3))
declare {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32,i32,i32,i32,i32,i32,float,float,float,float)
define ptx_kernel void @product(ptr addrspace(1) %a, ptr addrspace(1) %b, ptr addrspace(1) %c) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %byte = mul i32 %t, 16
  %as = getelementptr i8, ptr addrspace(3) @shared, i32 %byte
  %ag = getelementptr i8, ptr addrspace(1) %a, i32 %byte
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %as, ptr addrspace(1) %ag)
  call void @llvm.nvvm.cp.async.commit.group()
  %half = icmp ult i32 %t, 16
  br i1 %half, label %more, label %wait
more:
  %bs0 = getelementptr i8, ptr addrspace(3) @shared, i32 512
  %bs = getelementptr i8, ptr addrspace(3) %bs0, i32 %byte
  %bg = getelementptr i8, ptr addrspace(1) %b, i32 %byte
  call void @llvm.nvvm.cp.async.cg.shared.global.16(ptr addrspace(3) %bs, ptr addrspace(1) %bg)
  br label %wait
wait:
  call void @llvm.nvvm.cp.async.commit.group()
  call void @llvm.nvvm.cp.async.wait.group(i32 0)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %r16 = and i32 %t, 15
  %h = lshr i32 %t, 4
  %rowa = mul i32 %r16, 32
  %cola = mul i32 %h, 16
  %offa = add i32 %rowa, %cola
  %pa = getelementptr i8, ptr addrspace(3) @shared, i32 %offa
  %ma = call {i32,i32,i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %pa)
  %r8 = and i32 %t, 7
  %hb0 = lshr i32 %t, 3
  %hb = and i32 %hb0, 1
  %rowb = mul i32 %r8, 32
  %colb = mul i32 %hb, 16
  %offb0 = add i32 %rowb, %colb
  %offb = add i32 %offb0, 512
  %pb = getelementptr i8, ptr addrspace(3) @shared, i32 %offb
  %mb = call {i32,i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %pb)
  %a0 = extractvalue {i32,i32,i32,i32} %ma, 0
  %a1 = extractvalue {i32,i32,i32,i32} %ma, 1
  %a2 = extractvalue {i32,i32,i32,i32} %ma, 2
  %a3 = extractvalue {i32,i32,i32,i32} %ma, 3
  %b0 = extractvalue {i32,i32} %mb, 0
  %b1 = extractvalue {i32,i32} %mb, 1
  %d = call {float,float,float,float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %a0,i32 %a1,i32 %a2,i32 %a3,i32 %b0,i32 %b1,float 0.0,float 0.0,float 0.0,float 0.0)
  %d0 = extractvalue {float,float,float,float} %d, 0
  %d1 = extractvalue {float,float,float,float} %d, 1
  %d2 = extractvalue {float,float,float,float} %d, 2
  %d3 = extractvalue {float,float,float,float} %d, 3
  %g = lshr i32 %t, 2
  %l4 = and i32 %t, 3
  %col = mul i32 %l4, 2
  %top = mul i32 %g, 8
  %o = add i32 %top, %col
  %p0 = getelementptr float, ptr addrspace(1) %c, i32 %o
  %p2 = getelementptr float, ptr addrspace(1) %p0, i32 64
  %u0 = insertelement <2 x float> poison, float %d0, i32 0
  %u1 = insertelement <2 x float> %u0, float %d1, i32 1
  %w0 = insertelement <2 x float> poison, float %d2, i32 0
  %w1 = insertelement <2 x float> %w0, float %d3, i32 1
  store <2 x float> %u1, ptr addrspace(1) %p0, align 8
  store <2 x float> %w1, ptr addrspace(1) %p2, align 8
  ret void
}
)";

uint32_t Bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
float FromBits(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
// Small integers are exact in bf16; two of them in one float's bits.
float Pack(float low, float high) { return FromBits(Bits(low) >> 16 | (Bits(high) & 0xffff0000U)); }
float Unpack(const std::vector<float>& packed, size_t i) {
  const uint32_t word = Bits(packed[i / 2]);
  return FromBits(i % 2 ? word & 0xffff0000U : word << 16);
}
std::vector<float> PackedRamp(size_t count, int step) {
  const std::vector<float> values = Ramp(count, step);
  std::vector<float> packed;
  for (size_t i = 0; i < count; i += 2) packed.push_back(Pack(values[i], values[i + 1]));
  return packed;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"elementwise",
       kElementwise,
       {3, 1, 1},
       {64, 1, 1},
       0,
       [] {
         return Buffers{Ramp(4 * 160, 7), Ramp(4 * 160, 11), std::vector<float>(4 * 160)};
       },
       [](Buffers& b) {
         for (size_t i = 0; i < b[0].size(); i++) b[2][i] = b[0][i] * b[1][i] + b[0][i];
       },
       {160}},
      {"row_sum",
       kRowSum,
       {5, 1, 1},
       {128, 1, 1},
       16,
       [] {
         return Buffers{Ramp(5 * 128, 7), std::vector<float>(5)};
       },
       [](Buffers& b) {
         for (size_t r = 0; r < 5; r++) {
           b[1][r] = 0;
           for (size_t i = 0; i < 128; i++) b[1][r] += b[0][r * 128 + i];
         }
       }},
      {"transpose",
       kTranspose,
       {4, 1, 1},
       {128, 1, 1},
       0,
       [] {
         return Buffers{Ramp(64 * 64, 7), std::vector<float>(64 * 64)};
       },
       [](Buffers& b) {
         for (size_t i = 0; i < 64; i++) {
           for (size_t j = 0; j < 64; j++) b[1][j * 64 + i] = b[0][i * 64 + j];
         }
       }},
      {"rounds",
       kRounds,
       {3, 1, 1},
       {64, 1, 1},
       256,
       [] { return Buffers{Ramp(3 * 64, 7)}; },
       [](Buffers& b) {
         for (size_t block = 0; block < 3; block++) {
           for (size_t k = 0; k < 3; k++) {
             float* x = &b[0][block * 64];
             std::vector<float> old(x, x + 64);
             for (size_t i = 0; i < 64; i++)
               x[i] = old[i] + old[(i + 1) % 64] * static_cast<float>(k + 1);
           }
         }
       }},
      {"product",
       kProduct,
       {1, 1, 1},
       {32, 1, 1},
       768,
       [] {
         return Buffers{PackedRamp(16 * 16, 7), PackedRamp(8 * 16, 5), std::vector<float>(16 * 8)};
       },
       [](Buffers& b) {
         for (size_t i = 0; i < 16; i++) {
           for (size_t j = 0; j < 8; j++) {
             float sum = 0;
             for (size_t k = 0; k < 16; k++)
               sum += Unpack(b[0], i * 16 + k) * Unpack(b[1], j * 16 + k);
             b[2][i * 8 + j] = sum;
           }
         }
       }},
  };
  return *cases;
}

const Case& CaseOf(std::string_view name) {
  for (const Case& c : Cases()) {
    if (c.name == name) return c;
  }
  return Cases().front();
}

absl::Status RunCase(const Case& c, Module& module, uint64_t seed) {
  Memory memory;
  Buffers buffers = c.before();
  std::vector<void*> device;
  for (const auto& b : buffers) {
    ASSIGN_OR_RETURN(void* p, memory.Allocate(b.size() * sizeof(float)));
    std::memcpy(p, b.data(), b.size() * sizeof(float));
    device.push_back(p);
  }
  Launch launch;
  launch.symbol = c.name;
  launch.grid = c.grid;
  launch.block = c.block;
  launch.shared_bytes = c.shared_bytes;
  launch.seed = seed;
  launch.max_steps = 100000;
  for (void*& p : device) launch.arguments.push_back(&p);
  std::vector<int32_t> scalars = c.scalars;
  for (int32_t& s : scalars) launch.arguments.push_back(&s);
  RETURN_IF_ERROR(module.Run(launch, memory));
  c.apply(buffers);
  for (size_t k = 0; k < buffers.size(); k++) {
    const auto* actual = static_cast<const float*>(device[k]);
    for (size_t i = 0; i < buffers[k].size(); i++) {
      if (Bits(actual[i]) != Bits(buffers[k][i]) && actual[i] != buffers[k][i])
        return Internal("wrong value: buffer {} at {}: {} instead of {}", k, i, actual[i],
                        buffers[k][i]);
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::emulator
