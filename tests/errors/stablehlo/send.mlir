func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C1) source_target_pairs has rows of 3, not of 2
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C2) a source is in source_target_pairs twice
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C3) a target is in source_target_pairs twice
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C4) the participants 0 and -1 must not be negative
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C5) the channel's type is 2, not 1, that of transfers between devices
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
// -----
func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) {
  %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return
}
// EXPECT: INVALID_ARGUMENT send.mlir:2:8: stablehlo.send: (C5) the channel's type is 1, not 2, that of transfers to the host
// EXPECT:   %r = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channe...
// EXPECT:        ^
