func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C1) each of the operand's 2 dimensions must be collapsed, batching or an offset, got 0, 0 and 1: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C2) index_vector_dim=3 must be a dimension of the start indices or one past the last: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C3) start_index_map={0,1} must have an entry for each of 1 components of an index: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1, 0], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C4) offset_dims={1,0} must be unique and sorted: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C5) offset_dims={2} must be dimensions of the result, which has 2: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [], collapsed_slice_dims = [1, 0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C6) collapsed_slice_dims={1,0} must be sorted: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [2], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C7) collapsed_slice_dims={2} must be dimensions of the operand: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C8) the slice's size 2 in collapsed dimension 0 must be 1: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x2xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C9) start_index_map={0,0} and operand_batching_dims={} must be unique: (tensor<4x5xf32>, tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [2], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C10) start_index_map={2} must be dimensions of the operand: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5, 1]> : tensor<3xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<3xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C11) slice_sizes is tensor<3xi32>, the operand has 2 dimensions
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 6]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C12) the slice's size 6 is not within dimension 1 of size 5: (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> (tensor<3x5xf32>)
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C13) dimension 1 of tensor<3x4xf32> must be 5
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5xf64>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C14) the operand is tensor<4x5xf32>, the result tensor<3x5xf64>
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x5xf32>, %i: tensor<3x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x5xf32>, tensor<3x1xi32>, tensor<2xi32>) -> tensor<3x5x1xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_gather.mlir:3:8: stablehlo.dynamic_gather: (C13) the result must have 2 dimensions, it is tensor<3x5x1xf32>
// EXPECT:   %r = "stablehlo.dynamic_gather"(%x, %i, %s) {dimension_numbers = ...
// EXPECT:        ^
