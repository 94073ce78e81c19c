func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.25>>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.reduce: (C2) operand 0 is tensor<2x!quant.uniform<i8:f32, 0.5>>, operand 1 is tensor<!quant.uniform<i8:f32, 0.25>>
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.25>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %b : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.reduce: (C6) the computation takes tensor<!quant.uniform<i8:f32, 0.25>> and gives tensor<!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i16:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.reduce: (C8) the computation gives tensor<!quant.uniform<i8:f32, 0.5>>, result 0 is tensor<!quant.uniform<i16:f32, 0.5>>
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>, %i: tensor<!quant.uniform<i16:f32, 0.5>>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.reduce: (C6) operand 0 of tensor<2x!quant.uniform<i16:f32, 0.5>> is not promoted to tensor<!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f64, 0.5>>, %b: tensor<!quant.uniform<i8:f64, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f64, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<!quant.uniform<i8:f64, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.reduce: (C6) operand 0 of tensor<2x!quant.uniform<i8:f32, 0.5>> is not promoted to tensor<!quant.uniform<i8:f64, 0.5>>
// EXPECT:   %r = "stablehlo.reduce"(%x, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %s: tensor<2x!quant.uniform<i8:f32, 0.25>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.select_and_scatter: (C1) one is tensor<2x!quant.uniform<i8:f32, 0.5>>, the other tensor<2x!quant.uniform<i8:f32, 0.25>>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.25>>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.select_and_scatter: (C3) one is tensor<2x!quant.uniform<i8:f32, 0.5>>, the other tensor<!quant.uniform<i8:f32, 0.25>>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.25>>, %b: tensor<!quant.uniform<i8:f32, 0.25>>):
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.select_and_scatter: (C9) one is tensor<!quant.uniform<i8:f32, 0.25>>, the other tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %s: tensor<2x!quant.uniform<i8:f32, 0.5>>, %i: tensor<!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.25>>, %b: tensor<!quant.uniform<i8:f32, 0.25>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.25>>
  }) {window_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.select_and_scatter: (C12) one is tensor<!quant.uniform<i8:f32, 0.25>>, the other tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i16:f32, 0.5>>, %s: tensor<2x!quant.uniform<i16:f32, 0.5>>, %i: tensor<!quant.uniform<i16:f32, 0.5>>) {
  %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
  ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.5>>, %b: tensor<!quant.uniform<i16:f32, 0.5>>):
    %p = stablehlo.compare GE, %a, %b : (tensor<!quant.uniform<i16:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>, %b: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {window_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<!quant.uniform<i16:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.select_and_scatter: (C10) one is tensor<2x!quant.uniform<i16:f32, 0.5>>, the other tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.select_and_scatter"(%x, %s, %i) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.25>>, %b: tensor<!quant.uniform<i8:f32, 0.25>>):
    %p = stablehlo.compare LT, %a, %b : (tensor<!quant.uniform<i8:f32, 0.25>>, tensor<!quant.uniform<i8:f32, 0.25>>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.sort: (C5) one is tensor<!quant.uniform<i8:f32, 0.25>>, the other tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.sort"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.map"(%x) ({
  ^bb0(%a: tensor<!quant.uniform<i8:f32, 0.5>>):
    stablehlo.return %a : tensor<!quant.uniform<i8:f32, 0.5>>
  }) {dimensions = array<i64: 0>} : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.25>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_computations.mlir:2:8: stablehlo.map: (C4) one is tensor<!quant.uniform<i8:f32, 0.5>>, the other tensor<2x!quant.uniform<i8:f32, 0.25>>
// EXPECT:   %r = "stablehlo.map"(%x) ({
// EXPECT:        ^
