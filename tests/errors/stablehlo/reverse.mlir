func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reverse.mlir:2:8: reverse: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.reverse"(%x) {dimensions = array<i64: 0>} : (tens...
// EXPECT:        ^
