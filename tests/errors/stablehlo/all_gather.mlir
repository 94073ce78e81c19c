func.func @main(%x: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_gather.mlir:2:8: all-gather: (C4) the participants in replica_groups must be 0 to 1; operands f32[2,4]; result f32[4,4]
// EXPECT:   %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replic...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x4xf32>) {
  %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[-1, -1], [0, 1]]> : tensor<2x2xi64>} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_gather.mlir:2:8: all-gather: (C3) a group of no participants; operands f32[2,4]; result f32[4,4]
// EXPECT:   %r = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replic...
// EXPECT:        ^
