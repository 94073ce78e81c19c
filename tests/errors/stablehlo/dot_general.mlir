func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C1) lhs_batch_dims={0} and rhs_batch_dims={} must be of equal length; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0, 1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C2) lhs_contracting_dims={0,1} and rhs_contracting_dims={0} must be of equal length; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [1], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C3) the left batch and contracting dimensions {1,1} must be unique; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C4) the right batch and contracting dimensions {0,0} must be unique; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [2], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C5) lhs_batch_dims={2} must be dimensions of the left operand; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C6) lhs_contracting_dims={2} must be dimensions of the left operand; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C7) rhs_batch_dims={2} must be dimensions of the right operand; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [2]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C8) rhs_contracting_dims={2} must be dimensions of the right operand; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C9) batch dimension 0 of the left operand is 2, dimension 1 of the right operand is 4; operands f32[2,3], f32[3,4]; result f32[2]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C10) contracting dimension 0 of the left operand is 2, dimension 0 of the right operand is 3; operands f32[2,3], f32[3,4]; result f32[2,4]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C11) precision_config has 3 entries for 2 operands
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C12) the result must be f32[2,4]; operands f32[2,3], f32[3,4]; result f32[2,5]
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xi32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C13) the operands must be of one element type: tensor<2x3xf32> and tensor<3x4xi32> give tensor<2x4xi32>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4xf32>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C14) the left operand is quantized where the right one and the result are: tensor<2x3x!quant.uniform<i8:f32, 0.5>> and tensor<3x4xf32> give tensor<2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C15) the zero points of the right operand must be 0
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32:0, {0.5, 0.5, 0.5}>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5, 0.5, 0.5}>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C16) dimension 0 of the right operand is contracted, and has scales
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i16:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i16:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C17) the operands must store the same integers: tensor<2x3x!quant.uniform<i16:f32, 0.5>> and tensor<3x4x!quant.uniform<i8:f32, 0.5>> give tensor<2x4x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:bf16, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C18) operands and result must express the same floats: tensor<2x3x!quant.uniform<i8:f32, 0.5>> and tensor<3x4x!quant.uniform<i8:f32, 0.5>> give tensor<2x4x!quant.uniform<i8:bf16, 0.5>>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3x!quant.uniform<i8:f32, 0.5>>, %y: tensor<3x4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x4x!quant.uniform<i8:f32:1, {0.5, 0.5, 0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C19) the result must have one scale where the right operand has: tensor<2x3x!quant.uniform<i8:f32, 0.5>> and tensor<3x4x!quant.uniform<i8:f32, 0.5>> give tensor<2x4x!quant.uniform<i8:f32:1, {0.5,0.5,0.5,0.5}>>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4x!quant.uniform<i8:bf16, 0.5>>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:bf16, 0.5>>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C20) the left operand and the result must be of the floats that the right one expresses: tensor<2x3xf32> and tensor<3x4x!quant.uniform<i8:bf16, 0.5>> give tensor<2x4xf32>
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGH>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C21) precision_config is HIGH beside an algorithm, not DEFAULT
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C22) lhs_component_count must be positive, not 0
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C23) rhs_component_count must be positive, not 0
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: (C24) num_primitive_operations must be positive, not 0
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = f64, rhs_precision_type = f64, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dot_general.mlir:2:8: stablehlo.dot_general: the algorithm of 1 operations on f64 and f64 summed in f32 is none that is known
// EXPECT:   %r = "stablehlo.dot_general"(%x, %y) {dot_dimension_numbers = #st...
// EXPECT:        ^
