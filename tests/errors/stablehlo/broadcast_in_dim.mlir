func.func @main(%x: tensor<2xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf64>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C1) the result must have the operand's element type; operands f32[2]; result f64[3,2]
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C2) dimensions={0,1} must have an entry for each of the operand's 1 dimensions; operands f32[2]; result f32[3,2]
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<2xf32...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C3) dimensions={2} must be dimensions of the result; operands f32[2]; result f32[3,2]
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<2xf32>) ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C4) dimensions={1,1} must be unique; operands f32[2,2]; result f32[2,2]
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<2x2xf...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C5) dimension 0 of the operand is 2, neither 1 nor 3 like dimension 0 of the result; operands f32[2]; result f32[3,2]
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C6) an operand of tensor<2xi8> and the result differ in what their elements stand for
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<3x2x!quant.uniform<i8:f32, 0.25>>
  return
}
// EXPECT: INVALID_ARGUMENT broadcast_in_dim.mlir:2:8: stablehlo.broadcast_in_dim: (C1) an operand of tensor<2xi8> and the result differ in what their elements stand for
// EXPECT:   %r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2x!quant...
// EXPECT:        ^
