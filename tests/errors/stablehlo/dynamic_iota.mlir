func.func @main(%s: tensor<1xi32>) {
  %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<1xi32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_iota.mlir:2:8: stablehlo.dynamic_iota: (C1) iota_dimension 1 is not a dimension of the result: (tensor<1xi32>) -> (tensor<4xf32>)
// EXPECT:   %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<1xi32>) -> tens...
// EXPECT:        ^
// -----
func.func @main(%s: tensor<2xi32>) {
  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_iota.mlir:2:8: stablehlo.dynamic_iota: (C2) output_shape is tensor<2xi32>, the result has 1 dimensions
// EXPECT:   %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi32>) -> tens...
// EXPECT:        ^
