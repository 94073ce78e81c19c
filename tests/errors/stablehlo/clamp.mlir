func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.clamp"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT clamp.mlir:2:8: clamp: (C4) the result must be f32[4]; operands f32[4], f32[4], f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.clamp"(%x, %x, %x) : (tensor<4xf32>, tensor<4xf32...
// EXPECT:        ^
