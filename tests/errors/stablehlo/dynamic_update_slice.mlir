func.func @main(%x: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %i, %i) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_update_slice.mlir:2:8: dynamic-update-slice: (C1) the result must be f32[4,4]; operands f32[4,4], f32[2,2], s32[], s32[]; result f32[4,5]
// EXPECT:   %r = "stablehlo.dynamic_update_slice"(%x, %u, %i, %i) : (tensor<4...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<i32>) -> tensor<4x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_update_slice.mlir:2:8: dynamic-update-slice: (C4) needs a start index for each of 2 dimensions, got 1; operands f32[4,4], f32[2,2], s32[]; result f32[4,4]
// EXPECT:   %r = "stablehlo.dynamic_update_slice"(%x, %u, %i) : (tensor<4x4xf...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>, %u: tensor<2x2xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  %r = "stablehlo.dynamic_update_slice"(%x, %u, %i, %j) : (tensor<4x4xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i64>) -> tensor<4x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_update_slice.mlir:2:8: dynamic-update-slice: (C5) the start indices must have the same type; operands f32[4,4], f32[2,2], s32[], s64[]; result f32[4,4]
// EXPECT:   %r = "stablehlo.dynamic_update_slice"(%x, %u, %i, %j) : (tensor<4...
// EXPECT:        ^
