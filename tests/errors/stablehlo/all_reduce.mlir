func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_reduce.mlir:2:8: all-reduce: (C6) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.all_reduce"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT all_reduce.mlir:2:8: all-reduce: (C7) the result must be f32[4]; operands f32[4]; result f64[4]
// EXPECT:   %r = "stablehlo.all_reduce"(%x) ({
// EXPECT:        ^
