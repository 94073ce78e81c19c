func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 2 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: all-to-all: (C1) dimensions={2} must be a dimension of the operands; operands f32[4,4]
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 2 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 3 : i64, replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C2) split_count 3 does not divide dimension 0 of tensor<4x4xf32>
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 2 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C3) concat_dimension 2 is no dimension of tensor<4x4xf32>
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C4) split_count is 0
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1], [0, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: all-to-all: (C5) a participant is in replica_groups twice; operands f32[4,4]
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: all-to-all: (C7) the participants in replica_groups must be 0 to 1; operands f32[4,4]
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<1x16xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C8) a group has 2 participants, split_count is 4
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C9) result 0 is tensor<4x4xf32>, which is not tensor<4x4xf32> with dimension 0 split by 2 and 1 as many times as long
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x4xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[-1, -1], [0, 1]]> : tensor<2x2xi64>} : (tensor<4x4xf32>) -> tensor<2x8xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C8) a group has 0 participants, split_count is 2
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, conca...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x16xf32>) {
  %r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<0> : tensor<0x2xi64>} : (tensor<4x16xf32>) -> tensor<16x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT all_to_all.mlir:2:8: stablehlo.all_to_all: (C8) a group has 2 participants, split_count is 4
// EXPECT:   %r = "stablehlo.all_to_all"(%x) {split_dimension = 1 : i64, conca...
// EXPECT:        ^
