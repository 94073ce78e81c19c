func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C2) either both operands and the result are quantized or none is
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4x!quant.uniform<i16:f32, 0.5>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i16:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C3) operands and result must store the same integers
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>, %y: tensor<4x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, tensor<4x!quant.uniform<i8:f32, 0.5>>) -> tensor<4x!quant.uniform<i8:bf16, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C4) operands and result must express the same floats
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<4x!quant.uniform<i8:f32, 0...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i8:f32, 0.5>>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C5) the result has scales along a dimension where an operand has, else none
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>, %y: tensor<2x2x!quant.uniform<i8:f32, 0.5>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>, tensor<2x2x!quant.uniform<i8:f32, 0.5>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C6) scales run along dimension 0 of operand 0, 1 of the result
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32:...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<2x2x!quant.uniform<i8:f32, 0.5>>, %y: tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) {
  %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32, 0.5>>, tensor<2x2x!quant.uniform<i8:f32:0, {0.5, 0.5}>>) -> tensor<2x2x!quant.uniform<i8:f32:1, {0.5, 0.5}>>
  return
}
// EXPECT: INVALID_ARGUMENT add.mlir:2:8: stablehlo.add: (C7) scales run along dimension 0 of operand 1, 1 of the result
// EXPECT:   %r = "stablehlo.add"(%x, %y) : (tensor<2x2x!quant.uniform<i8:f32,...
// EXPECT:        ^
