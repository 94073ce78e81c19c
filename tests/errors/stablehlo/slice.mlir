func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT slice.mlir:2:8: slice: (C1) the result must be f32[2]; operands f32[4]; result f64[2]
// EXPECT:   %r = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT slice.mlir:2:8: slice: (C5) the result must be f32[2]; operands f32[4]; result f32[3]
// EXPECT:   %r = "stablehlo.slice"(%x) {start_indices = array<i64: 0>, limit_...
// EXPECT:        ^
