func.func @main(%x: tensor<4x5xf32>, %y: tensor<5x4xf32>, %i: tensor<f32>) {
  %r:2 = "stablehlo.reduce"(%x, %y, %i, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    stablehlo.return %a, %b : tensor<f32>, tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<5x4xf32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT reduce.mlir:2:10: reduce: (C1) the inputs must have the same dimensions; operands f32[4,5], f32[5,4], f32[], f32[]; result (f32[5], f32[5])
// EXPECT:   %r:2 = "stablehlo.reduce"(%x, %y, %i, %i) ({
// EXPECT:          ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce.mlir:2:8: reduce: (C7) the result must be f32[5]; operands f32[4,5], f32[]; result f32[4]
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {dimensions = array<i64: 0>} : (tensor<4x5xf32>, tensor<f32>) -> tensor<5xf64>
  return
}
// EXPECT: INVALID_ARGUMENT reduce.mlir:2:8: reduce: (C8) the result must be f32[5]; operands f32[4,5], f32[]; result f64[5]
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
