func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: stablehlo.reduce_window: (C6) window_strides must have 1 elements, it has 2
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, base_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: stablehlo.reduce_window: (C8) base_dilations must have 1 elements, it has 2
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, window_dilations = array<i64: 1, 1>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: stablehlo.reduce_window: (C10) window_dilations must have 1 elements, it has 2
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, padding = dense<0> : tensor<2x2xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: stablehlo.reduce_window: (C12) padding must have 2 elements, it has 4
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>, padding = dense<0> : tensor<2x1xi64>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: stablehlo.reduce_window: (C12) padding must have two numbers a dimension, it is tensor<2x1xi64>
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>} : (tensor<4xf32>, tensor<f32>) -> tensor<3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: reduce-window: (C15) the result must be f32[2]; operands f32[4], f32[]; result f32[3]
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %i: tensor<f32>) {
  %r = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {window_dimensions = array<i64: 3>} : (tensor<4xf32>, tensor<f32>) -> tensor<2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT reduce_window.mlir:2:8: reduce-window: (C16) the result must be f32[2]; operands f32[4], f32[]; result f64[2]
// EXPECT:   %r = "stablehlo.reduce_window"(%x, %i) ({
// EXPECT:        ^
