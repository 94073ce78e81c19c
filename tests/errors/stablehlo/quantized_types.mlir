func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = stablehlo.abs %x : tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.abs: operand 0 may not have several scales, it is tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
// EXPECT:   %r = stablehlo.abs %x : tensor<2x!quant.uniform<i8:f32:0, {0.5, 0...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %y: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.multiply %x, %y : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.multiply: operand 0 may not have several scales, it is tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
// EXPECT:   %r = stablehlo.multiply %x, %y : (tensor<2x!quant.uniform<i8:f32:...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.negate %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.negate: result 0 may not have several scales, it is tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
// EXPECT:   %r = stablehlo.negate %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.not %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.not: operand 0 may not be quantized, it is tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = stablehlo.not %x : tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2xi8>) {
  %r = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.convert: result 0 may not be quantized, it is tensor<2x!quant.uniform<i8:f32, 0.5>>
// EXPECT:   %r = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2x!quant.uni...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.dot_general: operand 0 may not have several scales, it is tensor<2x2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
// EXPECT:   %r = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] :...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %y: tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) {
  %r = stablehlo.compare LT, %x, %y : (tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, tensor<2x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<2xi1>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.compare: operand 0 may not have several scales, it is tensor<2x!quant.uniform<i8:f32:0, {0.5,0.25}>>
// EXPECT:   %r = stablehlo.compare LT, %x, %y : (tensor<2x!quant.uniform<i8:f...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = stablehlo.maximum %x, %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.maximum: (C1) operands and result must store the same integers of the same floats, one is tensor<2x!quant.uniform<i16:f32, 0.5>>
// EXPECT:   %r = stablehlo.maximum %x, %x : (tensor<2x!quant.uniform<i8:f32, ...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2xf32>) {
  %r = stablehlo.multiply %x, %y : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2xf32>) -> tensor<2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: stablehlo.multiply: (C1) operands and result must store the same integers of the same floats, one is tensor<2xf32>
// EXPECT:   %r = stablehlo.multiply %x, %y : (tensor<2x!quant.uniform<i8:f32,...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x!quant.uniform<i8:f32, 0.5>>) {
  %r = chlo.broadcast_add %x, %x : (tensor<2x!quant.uniform<i8:f32, 0.5>>, tensor<2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x!quant.uniform<i16:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT quantized_types.mlir:2:8: chlo.broadcast_add: operands and result must store the same integers of the same floats, one is tensor<2x!quant.uniform<i16:f32, 0.5>>
// EXPECT:   %r = chlo.broadcast_add %x, %x : (tensor<2x!quant.uniform<i8:f32,...
// EXPECT:        ^
