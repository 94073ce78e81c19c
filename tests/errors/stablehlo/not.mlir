func.func @main(%x: tensor<4xi32>) {
  %r = "stablehlo.not"(%x) : (tensor<4xi32>) -> tensor<5xi32>
  return
}
// EXPECT: INVALID_ARGUMENT not.mlir:2:8: not: (C1) the result must be s32[4]; operands s32[4]; result s32[5]
// EXPECT:   %r = "stablehlo.not"(%x) : (tensor<4xi32>) -> tensor<5xi32>
// EXPECT:        ^
