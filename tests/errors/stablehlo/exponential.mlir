func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: exponential: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.exponential"(%x) : (tensor<4xf32>) -> tensor<5xf3...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = -1.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: stablehlo.exponential: the tolerance atol = -1 must be finite and not negative
// EXPECT:   %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.re...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<atol = 1.0, rtol = 0.0, ulps = 0, mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: stablehlo.exponential: the accuracy's mode HIGHEST is one without tolerances
// EXPECT:   %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.re...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: stablehlo.exponential: the accuracy's mode TOLERANCE is one with tolerances
// EXPECT:   %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.re...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<BEST>>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: stablehlo.exponential: 'BEST' is no mode of a result's accuracy
// EXPECT:   %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.re...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.result_accuracy<digits = 3>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential.mlir:2:8: stablehlo.exponential: 'digits' is no field of a result's accuracy
// EXPECT:   %r = "stablehlo.exponential"(%x) {result_accuracy = #stablehlo.re...
// EXPECT:        ^
