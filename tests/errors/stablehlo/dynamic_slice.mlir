func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) {
  %r = "stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i32>) -> tensor<2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_slice.mlir:2:8: dynamic-slice: (C1) the result must be f32[2]; operands f32[4], s32[]; result f64[2]
// EXPECT:   %r = "stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<i32>) {
  %r = "stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: 2>} : (tensor<4xf32>, tensor<i32>) -> tensor<3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_slice.mlir:2:8: dynamic-slice: (C5) the result must be f32[2]; operands f32[4], s32[]; result f32[3]
// EXPECT:   %r = "stablehlo.dynamic_slice"(%x, %i) {slice_sizes = array<i64: ...
// EXPECT:        ^
