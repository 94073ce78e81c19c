func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.log_plus_one"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT log_plus_one.mlir:2:8: log-plus-one: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.log_plus_one"(%x) : (tensor<4xf32>) -> tensor<5xf...
// EXPECT:        ^
