func.func @main(%x: tensor<2xf32>) {
  %r = "stablehlo.concatenate"(%x, %x) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT concatenate.mlir:2:8: concatenate: (C5) the result must be f32[4]; operands f32[2], f32[2]; result f64[4]
// EXPECT:   %r = "stablehlo.concatenate"(%x, %x) {dimension = 0 : i64} : (ten...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %r = "stablehlo.concatenate"(%x, %x) {dimension = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT concatenate.mlir:2:8: concatenate: (C6) the result must be f32[4]; operands f32[2], f32[2]; result f32[5]
// EXPECT:   %r = "stablehlo.concatenate"(%x, %x) {dimension = 0 : i64} : (ten...
// EXPECT:        ^
