func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_precision.mlir:2:8: reduce-precision: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.reduce_precision"(%x) {exponent_bits = 5 : i32, m...
// EXPECT:        ^
