func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<5xf32>>
  return
}
// EXPECT: INVALID_ARGUMENT tuple.mlir:2:8: tuple: (C1) the result must be (f32[4]); operands f32[4]; result (f32[5])
// EXPECT:   %r = "stablehlo.tuple"(%x) : (tensor<4xf32>) -> tuple<tensor<5xf3...
// EXPECT:        ^
