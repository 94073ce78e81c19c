func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:4:5: %s is defined twice
// EXPECT:     %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32...
// EXPECT:     ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:4:5: %s is defined twice
// EXPECT:     %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32...
// EXPECT:     ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:4:5: %s is defined twice
// EXPECT:     %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32...
// EXPECT:     ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:4:5: %s is defined twice
// EXPECT:     %s = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32...
// EXPECT:     ^
