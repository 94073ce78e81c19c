func.func @main(%t: !stablehlo.token) {
  "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:3: stablehlo.infeed: (C1) needs a result
// EXPECT:   "stablehlo.infeed"(%t) : (!stablehlo.token) -> ()
// EXPECT:   ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tuple<tensor<4xf32>>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:10: stablehlo.infeed: (C2) result 0 must be a tensor, not tuple<tensor<4xf32>>
// EXPECT:   %r:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tuple<tensor...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:8: stablehlo.infeed: (C3) the last result must be a token, not tensor<4xf32>
// EXPECT:   %r = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<4xf32>
// EXPECT:        ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%t) {layout = [[0, 1], [0]]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:10: stablehlo.infeed: layout must be a list of 1 layouts
// EXPECT:   %r:2 = "stablehlo.infeed"(%t) {layout = [[0, 1], [0]]} : (!stablehl...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%t) {layout = [0]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:10: stablehlo.infeed: layout 0 must be a list of dimensions
// EXPECT:   %r:2 = "stablehlo.infeed"(%t) {layout = [0]} : (!stablehlo.token) -...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.infeed"(%t) {layout = [[0, 2]]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT infeed.mlir:2:10: stablehlo.infeed: layout 0 is no layout of tensor<2x3xf32>
// EXPECT:   %r:2 = "stablehlo.infeed"(%t) {layout = [[0, 2]]} : (!stablehlo.tok...
// EXPECT:          ^
