func.func @main(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  %r = "stablehlo.remainder"(%x, %y) : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT remainder.mlir:2:8: remainder: (C1) the operands must have the same shape and element type; operands f32[4], f32[5]; result f32[4]
// EXPECT:   %r = "stablehlo.remainder"(%x, %y) : (tensor<4xf32>, tensor<5xf32...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.remainder"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT remainder.mlir:2:8: remainder: (C1) the result must be f32[4]; operands f32[4], f32[4]; result f64[4]
// EXPECT:   %r = "stablehlo.remainder"(%x, %x) : (tensor<4xf32>, tensor<4xf32...
// EXPECT:        ^
