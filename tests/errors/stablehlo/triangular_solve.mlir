func.func @main(%a: tensor<2x2xf32>, %b: tensor<2x3xf32>) {
  %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT triangular_solve.mlir:2:8: triangular-solve: (C4) the result must be f32[2,3]; operands f32[2,2], f32[2,3]; result f32[3,2]
// EXPECT:   %r = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lowe...
// EXPECT:        ^
