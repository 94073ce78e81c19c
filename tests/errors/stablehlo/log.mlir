func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.log"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT log.mlir:2:8: log: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.log"(%x) : (tensor<4xf32>) -> tensor<5xf32>
// EXPECT:        ^
