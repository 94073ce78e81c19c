func.func @main(%x: tensor<2xf32>) {
  %f = "stablehlo.async_start"(%x) ({
    %a = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT async_done.mlir:6:8: stablehlo.async_done: (C1) the operand is a future of tensor<4xf32>, the results are (tensor<2xf32>)
// EXPECT:   %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32...
// EXPECT:        ^
