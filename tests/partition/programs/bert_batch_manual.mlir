module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=4]> {stablehlo.mesh = {axes = [{name = "data", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg1: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg2: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg3: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg4: tensor<4x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {}]>}, %arg5: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg7: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg8: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg9: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}, %arg10: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg11: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg12: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4x8x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12) in_shardings=[<@mesh, [{"data"}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}, {}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"data"}, {}, {}]>] manual_axes={"data"} (%arg13: tensor<1x8x16xf32>, %arg14: tensor<16x4x4xf32>, %arg15: tensor<16x4x4xf32>, %arg16: tensor<16x4x4xf32>, %arg17: tensor<4x4x16xf32>, %arg18: tensor<16xf32>, %arg19: tensor<16xf32>, %arg20: tensor<16x32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<32x16xf32>, %arg23: tensor<16xf32>, %arg24: tensor<16xf32>, %arg25: tensor<16xf32>) {
      %1 = stablehlo.dot_general %arg14, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x4x4xf32>, tensor<1x8x16xf32>) -> tensor<4x4x1x8xf32>
      %2 = stablehlo.transpose %1, dims = [2, 0, 3, 1] : (tensor<4x4x1x8xf32>) -> tensor<1x4x8x4xf32>
      %3 = stablehlo.dot_general %arg15, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x4x4xf32>, tensor<1x8x16xf32>) -> tensor<4x4x1x8xf32>
      %4 = stablehlo.transpose %3, dims = [2, 0, 3, 1] : (tensor<4x4x1x8xf32>) -> tensor<1x4x8x4xf32>
      %5 = stablehlo.dot_general %arg16, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x4x4xf32>, tensor<1x8x16xf32>) -> tensor<4x4x1x8xf32>
      %6 = stablehlo.transpose %5, dims = [2, 0, 3, 1] : (tensor<4x4x1x8xf32>) -> tensor<1x4x8x4xf32>
      %7 = stablehlo.dot_general %2, %4, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x4x8x4xf32>, tensor<1x4x8x4xf32>) -> tensor<1x4x8x8xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x4x8x8xf32>
      %9 = stablehlo.divide %7, %8 : tensor<1x4x8x8xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<1x4x8xf32>
      %12 = stablehlo.maximum %11, %10 : tensor<1x4x8xf32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<1x4x8x1xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<1x4x8x1xf32>) -> tensor<1x4x8x8xf32>
      %15 = stablehlo.subtract %9, %14 : tensor<1x4x8x8xf32>
      %16 = stablehlo.exponential %15 : tensor<1x4x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.reduce(%16 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<1x4x8x8xf32>, tensor<f32>) -> tensor<1x4x8xf32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<1x4x8xf32>) -> tensor<1x4x8x1xf32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<1x4x8x1xf32>) -> tensor<1x4x8x8xf32>
      %20 = stablehlo.divide %16, %19 : tensor<1x4x8x8xf32>
      %21 = stablehlo.dot_general %6, %20, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<1x4x8x4xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x4x8xf32>
      %22 = stablehlo.transpose %21, dims = [0, 3, 1, 2] : (tensor<1x4x4x8xf32>) -> tensor<1x8x4x4xf32>
      %23 = stablehlo.dot_general %22, %arg17, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<1x8x4x4xf32>, tensor<4x4x16xf32>) -> tensor<1x8x16xf32>
      %24 = stablehlo.add %arg13, %23 : tensor<1x8x16xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %25 = stablehlo.reduce(%24 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
      %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
      %cst_4 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %27 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %28 = stablehlo.divide %26, %27 : tensor<1x8x1xf32>
      %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %30 = stablehlo.subtract %24, %29 : tensor<1x8x16xf32>
      %31 = stablehlo.multiply %30, %30 : tensor<1x8x16xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %32 = stablehlo.reduce(%31 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
      %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %34 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %35 = stablehlo.divide %33, %34 : tensor<1x8x1xf32>
      %36 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %37 = stablehlo.subtract %24, %36 : tensor<1x8x16xf32>
      %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %38 = stablehlo.convert %cst_7 : tensor<f32>
      %39 = stablehlo.broadcast_in_dim %38, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %40 = stablehlo.add %35, %39 : tensor<1x8x1xf32>
      %41 = stablehlo.rsqrt %40 : tensor<1x8x1xf32>
      %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %43 = stablehlo.multiply %37, %42 : tensor<1x8x16xf32>
      %44 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
      %46 = stablehlo.multiply %43, %45 : tensor<1x8x16xf32>
      %47 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
      %49 = stablehlo.add %46, %48 : tensor<1x8x16xf32>
      %50 = stablehlo.dot_general %49, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x8x16xf32>, tensor<16x32xf32>) -> tensor<1x8x32xf32>
      %51 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
      %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<1x8x32xf32>
      %53 = stablehlo.add %50, %52 : tensor<1x8x32xf32>
      %54 = stablehlo.multiply %53, %53 : tensor<1x8x32xf32>
      %55 = stablehlo.multiply %54, %53 : tensor<1x8x32xf32>
      %cst_8 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
      %56 = stablehlo.convert %cst_8 : tensor<f32>
      %57 = stablehlo.broadcast_in_dim %56, dims = [] : (tensor<f32>) -> tensor<1x8x32xf32>
      %58 = stablehlo.multiply %57, %55 : tensor<1x8x32xf32>
      %59 = stablehlo.add %53, %58 : tensor<1x8x32xf32>
      %cst_9 = stablehlo.constant dense<0.797884583> : tensor<f32>
      %60 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<1x8x32xf32>
      %61 = stablehlo.multiply %60, %59 : tensor<1x8x32xf32>
      %62 = stablehlo.tanh %61 : tensor<1x8x32xf32>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %63 = stablehlo.convert %cst_10 : tensor<f32>
      %64 = stablehlo.broadcast_in_dim %63, dims = [] : (tensor<f32>) -> tensor<1x8x32xf32>
      %65 = stablehlo.add %64, %62 : tensor<1x8x32xf32>
      %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %66 = stablehlo.convert %cst_11 : tensor<f32>
      %67 = stablehlo.broadcast_in_dim %66, dims = [] : (tensor<f32>) -> tensor<1x8x32xf32>
      %68 = stablehlo.multiply %67, %65 : tensor<1x8x32xf32>
      %69 = stablehlo.multiply %53, %68 : tensor<1x8x32xf32>
      %70 = stablehlo.dot_general %69, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<1x8x32xf32>, tensor<32x16xf32>) -> tensor<1x8x16xf32>
      %71 = stablehlo.add %49, %70 : tensor<1x8x16xf32>
      %72 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
      %74 = stablehlo.add %71, %73 : tensor<1x8x16xf32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %75 = stablehlo.reduce(%74 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
      %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
      %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %77 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %78 = stablehlo.divide %76, %77 : tensor<1x8x1xf32>
      %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %80 = stablehlo.subtract %74, %79 : tensor<1x8x16xf32>
      %81 = stablehlo.multiply %80, %80 : tensor<1x8x16xf32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %82 = stablehlo.reduce(%81 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
      %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
      %cst_15 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %84 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %85 = stablehlo.divide %83, %84 : tensor<1x8x1xf32>
      %86 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %87 = stablehlo.subtract %74, %86 : tensor<1x8x16xf32>
      %cst_16 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %88 = stablehlo.convert %cst_16 : tensor<f32>
      %89 = stablehlo.broadcast_in_dim %88, dims = [] : (tensor<f32>) -> tensor<1x8x1xf32>
      %90 = stablehlo.add %85, %89 : tensor<1x8x1xf32>
      %91 = stablehlo.rsqrt %90 : tensor<1x8x1xf32>
      %92 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
      %93 = stablehlo.multiply %87, %92 : tensor<1x8x16xf32>
      %94 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %95 = stablehlo.broadcast_in_dim %94, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
      %96 = stablehlo.multiply %93, %95 : tensor<1x8x16xf32>
      %97 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<1x8x16xf32>
      %99 = stablehlo.add %96, %98 : tensor<1x8x16xf32>
      sdy.return %99 : tensor<1x8x16xf32>
    } : (tensor<4x8x16xf32>, tensor<16x4x4xf32>, tensor<16x4x4xf32>, tensor<16x4x4xf32>, tensor<4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x8x16xf32>
    return %0 : tensor<4x8x16xf32>
  }
}
