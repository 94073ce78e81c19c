func.func @main(%x: tensor<4xi32>) {
  %r = "stablehlo.count_leading_zeros"(%x) : (tensor<4xi32>) -> tensor<5xi32>
  return
}
// EXPECT: INVALID_ARGUMENT count_leading_zeros.mlir:2:8: count-leading-zeros: (C1) the result must be s32[4]; operands s32[4]; result s32[5]
// EXPECT:   %r = "stablehlo.count_leading_zeros"(%x) : (tensor<4xi32>) -> ten...
// EXPECT:        ^
