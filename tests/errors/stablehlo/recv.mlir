func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C1) source_target_pairs has rows of 3, not of 2
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C2) a source is in source_target_pairs twice
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C3) a target is in source_target_pairs twice
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = false, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C4) the participants 0 and -1 must not be negative
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = false} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C5) the channel's type is 2, not 1, that of transfers between devices
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: (C5) the channel's type is 1, not 3, that of transfers from the host
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
// -----
func.func @main(%t: !stablehlo.token) {
  %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}
// EXPECT: INVALID_ARGUMENT recv.mlir:2:10: stablehlo.recv: result 0 must be a tensor, not !stablehlo.token
// EXPECT:   %r:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_ha...
// EXPECT:          ^
