func.func @main(%i: tensor<i32>) {
  %r = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT case.mlir:2:8: stablehlo.case: (C1) needs a branch
// EXPECT:   %r = "stablehlo.case"(%i) : (tensor<i32>) -> tensor<f32>
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.case"(%i) ({
    ^bb0(%a: tensor<f32>):
      stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT case.mlir:2:8: stablehlo.case: (C2) branch 0 takes 1 arguments
// EXPECT:   %r = "stablehlo.case"(%i) ({
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %y : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT case.mlir:2:8: stablehlo.case: (C3) value 0 is tensor<2xf32> in branch 1, tensor<f32> in branch 0
// EXPECT:   %r = "stablehlo.case"(%i) ({
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT case.mlir:2:8: stablehlo.case: (C4) result 0 is tensor<f32>, not tensor<2xf32>
// EXPECT:   %r = "stablehlo.case"(%i) ({
// EXPECT:        ^
// -----
func.func @main(%i: tensor<i32>, %x: tensor<f32>, %y: tensor<2xf32>) {
  %r = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> tensor<f32>
  return
}
// EXPECT: INVALID_ARGUMENT case.mlir:2:8: stablehlo.case: (C3) branch 1 returns 0 values, branch 0 returns 1
// EXPECT:   %r = "stablehlo.case"(%i) ({
// EXPECT:        ^
