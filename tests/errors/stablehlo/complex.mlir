func.func @main(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  %r = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xcomplex<f32>>
  return
}
// EXPECT: INVALID_ARGUMENT complex.mlir:2:8: complex: (C1) the operands must have the same shape and element type; operands f32[4], f64[4]; result c64[4]
// EXPECT:   %r = "stablehlo.complex"(%x, %y) : (tensor<4xf32>, tensor<4xf64>)...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xcomplex<f32>>
  return
}
// EXPECT: INVALID_ARGUMENT complex.mlir:2:8: complex: (C2) the result must be c64[4]; operands f32[4], f32[4]; result c64[5]
// EXPECT:   %r = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>)...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xcomplex<f64>>
  return
}
// EXPECT: INVALID_ARGUMENT complex.mlir:2:8: complex: (C3) the result must be c64[4]; operands f32[4], f32[4]; result c128[4]
// EXPECT:   %r = "stablehlo.complex"(%x, %x) : (tensor<4xf32>, tensor<4xf32>)...
// EXPECT:        ^
