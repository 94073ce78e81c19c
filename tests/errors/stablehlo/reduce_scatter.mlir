func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C3) a participant is in replica_groups twice; operands f32[4,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[-1, -1], [0, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C4) a group of no participants; operands f32[4,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C5) the participants in replica_groups must be 0 to 1; operands f32[4,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C6) use_global_device_ids needs a positive channel_id; operands f32[4,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C9) the result must be f32[2,4]; operands f32[4,4]; result f64[2,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<1x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_scatter.mlir:2:8: reduce-scatter: (C8) the result must be f32[2,4]; operands f32[4,4]; result f32[1,4]
// EXPECT:   %r = "stablehlo.reduce_scatter"(%x) ({
// EXPECT:        ^
