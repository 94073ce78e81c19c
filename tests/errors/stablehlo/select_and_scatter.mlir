func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2, 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: stablehlo.select_and_scatter: (C6) window_strides must have 1 elements, it has 2
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: stablehlo.select_and_scatter: (C8) padding must have 2 elements, it has 4
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) {window_dimensions = array<i64: 2>, padding = dense<0> : tensor<2x1xi64>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: stablehlo.select_and_scatter: (C8) padding must have two numbers a dimension, it is tensor<2x1xi64>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: select-and-scatter: (C11) the result must be f32[4]; operands f32[4], f32[2], f32[]; result f32[5]
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %p : tensor<f32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>} : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: select-and-scatter: (C12) the result must be f32[4]; operands f32[4], f32[2], f32[]; result f64[4]
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %s: tensor<2xf32>, %i: tensor<f32>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT select_and_scatter.mlir:2:8: stablehlo.select_and_scatter: (C4) window_dimensions has 0 sizes for tensor<2xf32>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
