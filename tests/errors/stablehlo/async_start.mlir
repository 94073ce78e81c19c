func.func @main(%x: tensor<2xf32>) {
  %f = "stablehlo.async_start"(%x) ({
    %a = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    %b = stablehlo.negate %a : tensor<4xf32>
    stablehlo.return %b : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
// EXPECT: INVALID_ARGUMENT async_start.mlir:2:8: stablehlo.async_start: (C1) the body must be one operation, it has 2
// EXPECT:   %f = "stablehlo.async_start"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %f = "stablehlo.async_start"(%x) ({
    %b = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %b : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// EXPECT: INVALID_ARGUMENT async_start.mlir:2:8: stablehlo.async_start: (C2) 'stablehlo.negate' is neither a collective nor a slice
// EXPECT:   %f = "stablehlo.async_start"(%x) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  %f = "stablehlo.async_start"(%y) ({
    %a = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}
// EXPECT: INVALID_ARGUMENT async_start.mlir:2:8: stablehlo.async_start: (C3) the operands must be those of 'stablehlo.all_gather'
// EXPECT:   %f = "stablehlo.async_start"(%y) ({
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xf32>) {
  %f = "stablehlo.async_start"(%x) ({
    %a = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
    stablehlo.return %a : tensor<4xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}
// EXPECT: INVALID_ARGUMENT async_start.mlir:2:8: stablehlo.async_start: (C4) the result is a future of tensor<2xf32>, the body returns tensor<4xf32>
// EXPECT:   %f = "stablehlo.async_start"(%x) ({
// EXPECT:        ^
