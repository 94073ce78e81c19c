func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT sort.mlir:2:8: sort: (C2) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.sort"(%x) ({
// EXPECT:        ^
