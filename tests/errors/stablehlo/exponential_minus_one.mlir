func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.exponential_minus_one"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT exponential_minus_one.mlir:2:8: exponential-minus-one: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.exponential_minus_one"(%x) : (tensor<4xf32>) -> t...
// EXPECT:        ^
