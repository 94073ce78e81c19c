func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT abs.mlir:2:8: abs: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.abs"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xcomplex<f32>>) {
  %r = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return
}
// EXPECT: INVALID_ARGUMENT abs.mlir:2:8: abs: (C2) the result must be f32[4]; operands c64[4]; result c64[4]
// EXPECT:   %r = stablehlo.abs %x : (tensor<4xcomplex<f32>>) -> tensor<4xcomp...
// EXPECT:        ^
