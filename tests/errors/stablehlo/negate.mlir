func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT negate.mlir:2:8: negate: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// EXPECT:        ^
