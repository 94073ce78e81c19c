func.func @main(%x: tensor<4xf32>) {
  %r = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT optimization_barrier.mlir:2:8: stablehlo.optimization_barrier: (C1) the result must be f32[4]; operands f32[4]; result f32[5]
// EXPECT:   %r = "stablehlo.optimization_barrier"(%x) : (tensor<4xf32>) -> te...
// EXPECT:        ^
