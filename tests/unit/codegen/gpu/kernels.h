// Kernels with layouts, as text: what the tests of this room compile.
#pragma once

namespace sinter::gpu::testing {

// y = x / sum(x) of each row of [4096 x 1024]: the row is in registers.
inline constexpr const char* kNormalizeRows = R"(kernel normalize lanes 16 warps 4 {
  layout #1 rows [] cols [reg 2, warp 4, lane 32, reg 4]
  %rows:s64 = const 4096
  %n:s64 = const 1024
  %zero:s64 = const 0
  %one:s64 = const 1
  buffer @x f32 argument [%rows, %n] [%n, %one]
  buffer @y f32 argument [%rows, %n] [%n, %one] written
  for.par.exact 1 %zero, %rows { (%r:s64)
    %1:f32[1x1024 #1] = load @x[%r, %zero+c]
    %2:f32 = reduce.cols %1 { (%a:f32, %b:f32)
      %3:f32 = add %a, %b
      yield %3
    }
    %4:f32[1x1024 #1] = div %1, %2
    store %4, @y[%r, %zero+c]
    yield
  }
}
)";

// o = transpose(x) of [1024 x 512], in tiles of 32 x 32.
inline constexpr const char* kTranspose = R"(kernel turn lanes 16 warps 4 {
  layout #1 rows [reg 8, warp 4] cols [lane 32]
  %rows:s64 = const 1024
  %cols:s64 = const 512
  %zero:s64 = const 0
  %one:s64 = const 1
  %tiles:s64 = const 16
  %size:s64 = const 32
  %count:s64 = const 512
  buffer @x f32 argument [%rows, %cols] [%cols, %one]
  buffer @o f32 argument [%cols, %rows] [%rows, %one] written
  for.par.exact 1 %zero, %count { (%t:s64)
    %i0:s64 = div %t, %tiles
    %j0:s64 = rem %t, %tiles
    %i:s64 = mul %i0, %size
    %j:s64 = mul %j0, %size
    %1:f32[32x32 #1] = load @x[%i+r, %j+c]
    %2:f32[32x32 #1] = transpose %1
    store %2, @o[%j+r, %i+c]
    yield
  }
}
)";

// y = 2 x of n elements, n known at the launch; bf16.
inline constexpr const char* kScaleMasked = R"(kernel scale lanes 16 warps 4 {
  layout #1 rows [] cols [warp 4, lane 32, reg 8]
  param %n 1..1000000 multiple 8
  %zero:s64 = const 0
  %one:s64 = const 1
  %two:f32 = const 2
  %b0:bf16 = const 0
  buffer @x bf16 argument [%n] [%one]
  buffer @y bf16 argument [%n] [%one] written
  for.par.masked 1024 %zero, %n { (%i:s64)
    %m:pred[1x1024 #1] = mask.cols %i, %n
    %1:bf16[1x1024 #1] = load @x[%i+c] mask %m else %b0
    %2:f32[1x1024 #1] = cvt %1
    %3:f32[1x1024 #1] = mul %2, %two
    %4:bf16[1x1024 #1] = cvt %3
    store %4, @y[%i+c] mask %m
    yield
  }
}
)";

}  // namespace sinter::gpu::testing
