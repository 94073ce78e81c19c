module @jit_pieces attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>}, %arg1: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}, {"x"}]>}) -> (tensor<11x4x4xf32> {jax.result_info = "result[0]", sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, tensor<8x16xf32> {jax.result_info = "result[1]", sdy.sharding = #sdy.sharding<@mesh, [{"y", "x"}, {}]>}, tensor<16x8xf32> {jax.result_info = "result[2]", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<4x16xf32> {jax.result_info = "result[3]", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
    %1 = stablehlo.slice %0 [3:11, 0:16] : (tensor<16x16xf32>) -> tensor<8x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = call @_pad(%1, %cst) : (tensor<8x16xf32>, tensor<f32>) -> tensor<11x16xf32>
    %3 = call @_roll_static(%arg0) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = stablehlo.reshape %2 : (tensor<11x16xf32>) -> tensor<11x4x4xf32>
    %5 = sdy.sharding_constraint %4 <@mesh, [{}, {"y"}, {}]> : tensor<11x4x4xf32>
    %6 = stablehlo.transpose %1, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
    %7 = sdy.sharding_constraint %6 <@mesh, [{"y"}, {"x"}]> : tensor<16x8xf32>
    %8 = stablehlo.slice %arg0 [0:8:2, 0:16] : (tensor<8x16xf32>) -> tensor<4x16xf32>
    return %5, %3, %7, %8 : tensor<11x4x4xf32>, tensor<8x16xf32>, tensor<16x8xf32>, tensor<4x16xf32>
  }
  func.func private @_pad(%arg0: tensor<8x16xf32>, %arg1: tensor<f32>) -> tensor<11x16xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [1, 0], high = [2, 0], interior = [0, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<11x16xf32>
    return %1 : tensor<11x16xf32>
  }
  func.func private @_roll_static(%arg0: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.slice %arg0 [5:8, 0:16] : (tensor<8x16xf32>) -> tensor<3x16xf32>
    %1 = stablehlo.slice %arg0 [0:5, 0:16] : (tensor<8x16xf32>) -> tensor<5x16xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<3x16xf32>, tensor<5x16xf32>) -> tensor<8x16xf32>
    return %2 : tensor<8x16xf32>
  }
}
