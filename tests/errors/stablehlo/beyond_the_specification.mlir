func.func @main(%x: tensor<3xi32>) {
  %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 1, -2>} : (tensor<3xi32>) -> tensor<1x2x3xi32>
  return
}
// EXPECT: INVALID_ARGUMENT beyond_the_specification.mlir:2:8: stablehlo.broadcast: tensor<3xi32> with broadcast_sizes [1, -2] before its sizes is not tensor<1x2x3xi32>
// EXPECT:   %r = "stablehlo.broadcast"(%x) {broadcast_sizes = array<i64: 1, -...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<3xi32>) {
  %r = stablehlo.broadcast %x, sizes = [2] : (tensor<3xi32>) -> tensor<1x3xi32>
  return
}
// EXPECT: INVALID_ARGUMENT beyond_the_specification.mlir:2:8: stablehlo.broadcast: tensor<3xi32> with broadcast_sizes [2] before its sizes is not tensor<1x3xi32>
// EXPECT:   %r = stablehlo.broadcast %x, sizes = [2] : (tensor<3xi32>) -> ten...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2xf32>) {
  %r = stablehlo.dot %x, %x, precision = {} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT beyond_the_specification.mlir:2:8: stablehlo.dot: precision_config must be a list of precisions
// EXPECT:   %r = stablehlo.dot %x, %x, precision = {} : (tensor<2x2xf32>, ten...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %n: tensor<1xi32>) {
  %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT beyond_the_specification.mlir:2:8: stablehlo.set_dimension_size: the size must be a scalar, not tensor<1xi32>
// EXPECT:   %r = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<2xf32...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xi32>) {
  %r = "chlo.constant_like"(%x) {value = 3.0 : f32} : (tensor<2xi32>) -> tensor<2xi32>
  return
}
// EXPECT: INVALID_ARGUMENT beyond_the_specification.mlir:2:8: chlo.constant_like: the value is f32, the result tensor<2xi32>
// EXPECT:   %r = "chlo.constant_like"(%x) {value = 3.0 : f32} : (tensor<2xi32...
// EXPECT:        ^
