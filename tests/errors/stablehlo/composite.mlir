func.func @main(%x: tensor<4xf32>) {
  %r = stablehlo.composite "plain" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// EXPECT: INVALID_ARGUMENT composite.mlir:2:8: stablehlo.composite: (C1) the name 'plain' must be that of a namespace and of an operation
// EXPECT:   %r = stablehlo.composite "plain" %x {decomposition = @f} : (tenso...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = stablehlo.composite "my.%" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// EXPECT: INVALID_ARGUMENT composite.mlir:2:8: stablehlo.composite: (C1) the name 'my.%' must be that of a namespace and of an operation
// EXPECT:   %r = stablehlo.composite "my.%" %x {decomposition = @f} : (tensor...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = stablehlo.composite "my.op" %x {decomposition = @g} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// EXPECT: INVALID_ARGUMENT composite.mlir:2:8: there is no function @g
// EXPECT:   %r = stablehlo.composite "my.op" %x {decomposition = @g} : (tenso...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<5xf32>) {
  %r = stablehlo.composite "my.op" %x {decomposition = @f} : (tensor<5xf32>) -> tensor<4xf32>
  return
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// EXPECT: INVALID_ARGUMENT composite.mlir:2:8: stablehlo.composite: (C3) @f takes (tensor<4xf32>), the operands are (tensor<5xf32>)
// EXPECT:   %r = stablehlo.composite "my.op" %x {decomposition = @f} : (tenso...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>) {
  %r = stablehlo.composite "my.op" %x {decomposition = @f} : (tensor<4xf32>) -> tensor<5xf32>
  return
}
func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
// EXPECT: INVALID_ARGUMENT composite.mlir:2:8: stablehlo.composite: (C4) @f returns (tensor<4xf32>), the results are (tensor<5xf32>)
// EXPECT:   %r = stablehlo.composite "my.op" %x {decomposition = @f} : (tenso...
// EXPECT:        ^
