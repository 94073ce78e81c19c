func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C1) participant 1 is in replica_groups twice
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dens...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C2) replica_groups has the participant -2
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dens...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<5xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C3) operand 0 is tensor<4xf32>, the result tensor<5xf32>
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dens...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>, %a1: tensor<2xi32>) {
  %r = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C4) the roots must be tensor<1xi32>, not tensor<2xi32>
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups =...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>, %a1: tensor<4xf32>) {
  %r = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C5) 2 operands give 1 results
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups =...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>, %a1: tensor<1xi32>) {
  %r:2 = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<1xi32>) -> (tensor<4xf32>, tensor<1xi32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:10: stablehlo.collective_broadcast: (C5) 1 operands and their roots give 2 results
// EXPECT:   %r:2 = "stablehlo.collective_broadcast"(%a0, %a1) {replica_groups =...
// EXPECT:          ^
// -----
func.func @main(%a0: tensor<i32>) {
  %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<i32>) -> (tensor<i32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_broadcast.mlir:2:8: stablehlo.collective_broadcast: (C4) needs an operand and its root, got 1 operands
// EXPECT:   %r = "stablehlo.collective_broadcast"(%a0) {replica_groups = dens...
// EXPECT:        ^
