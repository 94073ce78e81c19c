func.func @main(%x: tensor<4xf32>, %p: tensor<f64>) {
  %l = stablehlo.constant dense<0> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C1) the padding value must have the operand's element type: (tensor<4xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xf32>)
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) {
  %l = stablehlo.constant dense<0> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf64>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C1) tensor<4xf32> is padded and gives tensor<4xf64>
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) {
  %l = stablehlo.constant dense<0> : tensor<2xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C2) operand 2 must have a number for each of 1 dimensions, it is tensor<2xi64>
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) {
  %l = stablehlo.constant dense<0> : tensor<1xi64>
  %i = stablehlo.constant dense<-1> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C3) interior padding -1 of dimension 0 must not be negative: (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xf32>)
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) {
  %l = stablehlo.constant dense<0> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<5xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C4) dimension 0 of tensor<5xf32> is not what tensor<4xf32> is padded to
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %p: tensor<f32>) {
  %l = stablehlo.constant dense<0> : tensor<1xi64>
  %i = stablehlo.constant dense<0> : tensor<1xi64>
  %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<4x1xf32>
  return
}
// EXPECT: INVALID_ARGUMENT dynamic_pad.mlir:4:8: stablehlo.dynamic_pad: (C4) tensor<4xf32> is padded to tensor<4x1xf32>
// EXPECT:   %r = "stablehlo.dynamic_pad"(%x, %p, %l, %l, %i) : (tensor<4xf32>...
// EXPECT:        ^
