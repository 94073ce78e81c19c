func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.round_nearest_afz"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT round_nearest_afz.mlir:2:8: round-nearest-afz: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.round_nearest_afz"(%x) : (tensor<4xf32>) -> tenso...
// EXPECT:        ^
