func.func @main(%x: tensor<4xi32>, %y: tensor<4xi16>) {
  %r = "stablehlo.xor"(%x, %y) : (tensor<4xi32>, tensor<4xi16>) -> tensor<4xi32>
  return
}
// EXPECT: INVALID_ARGUMENT xor.mlir:2:8: xor: (C1) the operands must have the same shape and element type; operands s32[4], s16[4]; result s32[4]
// EXPECT:   %r = "stablehlo.xor"(%x, %y) : (tensor<4xi32>, tensor<4xi16>) -> ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xi32>) {
  %r = "stablehlo.xor"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> tensor<3xi32>
  return
}
// EXPECT: INVALID_ARGUMENT xor.mlir:2:8: xor: (C1) the result must be s32[4]; operands s32[4], s32[4]; result s32[3]
// EXPECT:   %r = "stablehlo.xor"(%x, %x) : (tensor<4xi32>, tensor<4xi32>) -> ...
// EXPECT:        ^
