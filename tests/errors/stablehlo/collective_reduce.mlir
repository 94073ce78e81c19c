func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C1) participant 1 is in replica_groups twice
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, -2]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C2) replica_groups has the participant -2
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<5xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C3) operand 0 is tensor<4xf32>, the result tensor<5xf32>
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>, %a1: tensor<i32>) {
  %r = "stablehlo.collective_reduce"(%a0, %a1) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root} : (tensor<4xf32>, tensor<i32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C3) the roots must be tensor<1xi32>, not tensor<i32>
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0, %a1) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf64>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf64>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C4) the computation combines f32, operand 0 is of f64
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: (C4) the computation must take two scalars and give one of their type: (tensor<f32>) -> (tensor<f32>)
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r:2 = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:10: stablehlo.collective_reduce: (C3) 1 operands give 2 results
// EXPECT:   %r:2 = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:          ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: stablehlo.collective_reduce: needs 1 region, got 0
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) {replica_groups = dense<[...
// EXPECT:        ^
// -----
func.func @main(%a0: tensor<4xf32>) {
  %r = "stablehlo.collective_reduce"(%a0) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4xf32>) -> (tensor<4xf32>)
  return
}
// EXPECT: INVALID_ARGUMENT collective_reduce.mlir:2:8: collective-reduce: use_global_device_ids needs a positive channel_id; operands f32[4]; result f32[4]
// EXPECT:   %r = "stablehlo.collective_reduce"(%a0) ({
// EXPECT:        ^
