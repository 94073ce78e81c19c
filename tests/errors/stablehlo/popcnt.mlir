func.func @main(%x: tensor<4xi32>) {
  %r = "stablehlo.popcnt"(%x) : (tensor<4xi32>) -> tensor<5xi32>
  return
}
// EXPECT: INVALID_ARGUMENT popcnt.mlir:2:8: popcnt: (C1) the result must be s32[4]; operands s32[4]; result s32[5]
// EXPECT:   %r = "stablehlo.popcnt"(%x) : (tensor<4xi32>) -> tensor<5xi32>
// EXPECT:        ^
