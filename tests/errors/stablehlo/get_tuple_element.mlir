func.func @main(%x: tuple<tensor<4xf32>, tensor<i32>>) {
  %r = "stablehlo.get_tuple_element"(%x) {index = 0 : i32} : (tuple<tensor<4xf32>, tensor<i32>>) -> tensor<i32>
  return
}
// EXPECT: INVALID_ARGUMENT get_tuple_element.mlir:2:8: get-tuple-element: (C2) the result must be f32[4]; operands (f32[4], s32[]); result s32[]
// EXPECT:   %r = "stablehlo.get_tuple_element"(%x) {index = 0 : i32} : (tuple...
// EXPECT:        ^
