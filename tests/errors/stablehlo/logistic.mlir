func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.logistic"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT logistic.mlir:2:8: logistic: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.logistic"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// EXPECT:        ^
