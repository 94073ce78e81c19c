func.func @main(%i: tensor<i1>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.if"(%i) ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT if.mlir:2:8: stablehlo.if: (C1) branch 0 takes 1 arguments
// EXPECT:   %r = "stablehlo.if"(%i) ({
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i1>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.if"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT if.mlir:2:8: stablehlo.if: (C2) value 0 is tensor<2xf32> in branch 1, tensor<f32> in branch 0
// EXPECT:   %r = "stablehlo.if"(%i) ({
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i1>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.if"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT if.mlir:2:8: stablehlo.if: (C3) result 0 is tensor<f32>, not tensor<2xf32>
// EXPECT:   %r = "stablehlo.if"(%i) ({
// EXPECT:        ^
