func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.sign"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT sign.mlir:2:8: sign: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.sign"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// EXPECT:        ^
