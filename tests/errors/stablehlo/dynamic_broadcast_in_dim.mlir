func.func @main(%x: tensor<2xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<3x2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C1) the result must have the operand's element type: (tensor<2xf32>, tensor<2xi32>) -> (tensor<3x2xf64>)
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C2) dimensions={0,1} must have an entry for each of the operand's 1 dimensions: (tensor<2xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C3) dimensions={2} must be dimensions of the result: (tensor<2xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1, 1>} : (tensor<2x2xf32>, tensor<2xi32>) -> tensor<2x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C4) dimensions={1,1} must be unique: (tensor<2x2xf32>, tensor<2xi32>) -> (tensor<2x2xf32>)
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C5) dimension 0 of the operand is 2, neither 1 nor 3 like dimension 0 of the result: (tensor<2xf32>, tensor<2xi32>) -> (tensor<3x2xf32>)
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2xi32>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C6) an operand of tensor<2xi8> and the result differ in what their elements stand for
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %s: tensor<3xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>} : (tensor<2xf32>, tensor<3xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C7) output_dimensions is tensor<3xi32>, the result has 2 dimensions
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<1xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C8) a dimension is twice among those known to expand {0} and not to {0}
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>, known_expanding_dimensions = array<i64: 1>} : (tensor<1xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C9) known_expanding_dimensions {1} must be dimensions of tensor<1xf32>
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<1xf32>, %s: tensor<2xi32>) {
  %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 1>} : (tensor<1xf32>, tensor<2xi32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_broadcast_in_dim.mlir:2:8: stablehlo.dynamic_broadcast_in_dim: (C10) known_nonexpanding_dimensions {1} must be dimensions of tensor<1xf32>
// EXPECT:   %r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) {broadcast_dime...
// EXPECT:        ^
