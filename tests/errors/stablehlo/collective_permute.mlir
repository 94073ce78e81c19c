func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT collective_permute.mlir:2:8: collective-permute: (C5) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.collective_permute"(%x) {source_target_pairs = de...
// EXPECT:        ^
