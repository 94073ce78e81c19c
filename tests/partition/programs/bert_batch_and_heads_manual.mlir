module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["data"=2, "model"=2]> {stablehlo.mesh = {axes = [{name = "data", size = 2 : i64}, {name = "model", size = 2 : i64}]}}
  func.func public @main(%arg0: tensor<4x8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}, %arg1: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg2: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg3: tensor<16x4x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}, {}]>}, %arg4: tensor<4x4x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}, {}]>}, %arg5: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg6: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg7: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %arg8: tensor<32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}]>}, %arg9: tensor<32x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}, %arg10: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg11: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}, %arg12: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) -> (tensor<4x8x16xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}, {}]>}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5, %arg6, %arg7, %arg8, %arg9, %arg10, %arg11, %arg12) in_shardings=[<@mesh, [{"data"}, {}, {}]>, <@mesh, [{}, {"model"}, {}]>, <@mesh, [{}, {"model"}, {}]>, <@mesh, [{}, {"model"}, {}]>, <@mesh, [{"model"}, {}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}, {"model"}]>, <@mesh, [{"model"}]>, <@mesh, [{"model"}, {}]>, <@mesh, [{}]>, <@mesh, [{}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"data"}, {}, {}]>] manual_axes={"data", "model"} (%arg13: tensor<2x8x16xf32>, %arg14: tensor<16x2x4xf32>, %arg15: tensor<16x2x4xf32>, %arg16: tensor<16x2x4xf32>, %arg17: tensor<2x4x16xf32>, %arg18: tensor<16xf32>, %arg19: tensor<16xf32>, %arg20: tensor<16x16xf32>, %arg21: tensor<16xf32>, %arg22: tensor<16x16xf32>, %arg23: tensor<16xf32>, %arg24: tensor<16xf32>, %arg25: tensor<16xf32>) {
      %1 = stablehlo.dot_general %arg14, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x4xf32>, tensor<2x8x16xf32>) -> tensor<2x4x2x8xf32>
      %2 = stablehlo.transpose %1, dims = [2, 0, 3, 1] : (tensor<2x4x2x8xf32>) -> tensor<2x2x8x4xf32>
      %3 = stablehlo.dot_general %arg15, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x4xf32>, tensor<2x8x16xf32>) -> tensor<2x4x2x8xf32>
      %4 = stablehlo.transpose %3, dims = [2, 0, 3, 1] : (tensor<2x4x2x8xf32>) -> tensor<2x2x8x4xf32>
      %5 = stablehlo.dot_general %arg16, %arg13, contracting_dims = [0] x [2], precision = [DEFAULT, DEFAULT] : (tensor<16x2x4xf32>, tensor<2x8x16xf32>) -> tensor<2x4x2x8xf32>
      %6 = stablehlo.transpose %5, dims = [2, 0, 3, 1] : (tensor<2x4x2x8xf32>) -> tensor<2x2x8x4xf32>
      %7 = stablehlo.dot_general %2, %4, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x4xf32>, tensor<2x2x8x4xf32>) -> tensor<2x2x8x8xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2x8x8xf32>
      %9 = stablehlo.divide %7, %8 : tensor<2x2x8x8xf32>
      %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %10 = stablehlo.reduce(%9 init: %cst_0) applies stablehlo.maximum across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x2x8xf32>
      %12 = stablehlo.maximum %11, %10 : tensor<2x2x8xf32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
      %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
      %15 = stablehlo.subtract %9, %14 : tensor<2x2x8x8xf32>
      %16 = stablehlo.exponential %15 : tensor<2x2x8x8xf32>
      %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %17 = stablehlo.reduce(%16 init: %cst_2) applies stablehlo.add across dimensions = [3] : (tensor<2x2x8x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2] : (tensor<2x2x8xf32>) -> tensor<2x2x8x1xf32>
      %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2, 3] : (tensor<2x2x8x1xf32>) -> tensor<2x2x8x8xf32>
      %20 = stablehlo.divide %16, %19 : tensor<2x2x8x8xf32>
      %21 = stablehlo.dot_general %6, %20, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8x4xf32>, tensor<2x2x8x8xf32>) -> tensor<2x2x4x8xf32>
      %22 = stablehlo.transpose %21, dims = [0, 3, 1, 2] : (tensor<2x2x4x8xf32>) -> tensor<2x8x2x4xf32>
      %23 = stablehlo.dot_general %22, %arg17, contracting_dims = [3, 2] x [1, 0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x2x4xf32>, tensor<2x4x16xf32>) -> tensor<2x8x16xf32>
      %24 = "stablehlo.all_reduce"(%23) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "model">]>, use_global_device_ids}> ({
      ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
        %102 = stablehlo.add %arg26, %arg27 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %25 = stablehlo.add %arg13, %24 : tensor<2x8x16xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %26 = stablehlo.reduce(%25 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
      %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
      %cst_4 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %28 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %29 = stablehlo.divide %27, %28 : tensor<2x8x1xf32>
      %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %31 = stablehlo.subtract %25, %30 : tensor<2x8x16xf32>
      %32 = stablehlo.multiply %31, %31 : tensor<2x8x16xf32>
      %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %33 = stablehlo.reduce(%32 init: %cst_5) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
      %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
      %cst_6 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %35 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %36 = stablehlo.divide %34, %35 : tensor<2x8x1xf32>
      %37 = stablehlo.broadcast_in_dim %29, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %38 = stablehlo.subtract %25, %37 : tensor<2x8x16xf32>
      %cst_7 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %39 = stablehlo.convert %cst_7 : tensor<f32>
      %40 = stablehlo.broadcast_in_dim %39, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %41 = stablehlo.add %36, %40 : tensor<2x8x1xf32>
      %42 = stablehlo.rsqrt %41 : tensor<2x8x1xf32>
      %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %44 = stablehlo.multiply %38, %43 : tensor<2x8x16xf32>
      %45 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %47 = stablehlo.multiply %44, %46 : tensor<2x8x16xf32>
      %48 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %50 = stablehlo.add %47, %49 : tensor<2x8x16xf32>
      %51 = stablehlo.dot_general %50, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
      %52 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %54 = stablehlo.add %51, %53 : tensor<2x8x16xf32>
      %55 = stablehlo.multiply %54, %54 : tensor<2x8x16xf32>
      %56 = stablehlo.multiply %55, %54 : tensor<2x8x16xf32>
      %cst_8 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
      %57 = stablehlo.convert %cst_8 : tensor<f32>
      %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
      %59 = stablehlo.multiply %58, %56 : tensor<2x8x16xf32>
      %60 = stablehlo.add %54, %59 : tensor<2x8x16xf32>
      %cst_9 = stablehlo.constant dense<0.797884583> : tensor<f32>
      %61 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
      %62 = stablehlo.multiply %61, %60 : tensor<2x8x16xf32>
      %63 = stablehlo.tanh %62 : tensor<2x8x16xf32>
      %cst_10 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %64 = stablehlo.convert %cst_10 : tensor<f32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
      %66 = stablehlo.add %65, %63 : tensor<2x8x16xf32>
      %cst_11 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %67 = stablehlo.convert %cst_11 : tensor<f32>
      %68 = stablehlo.broadcast_in_dim %67, dims = [] : (tensor<f32>) -> tensor<2x8x16xf32>
      %69 = stablehlo.multiply %68, %66 : tensor<2x8x16xf32>
      %70 = stablehlo.multiply %54, %69 : tensor<2x8x16xf32>
      %71 = stablehlo.dot_general %70, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x8x16xf32>, tensor<16x16xf32>) -> tensor<2x8x16xf32>
      %72 = "stablehlo.all_reduce"(%71) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "model">]>, use_global_device_ids}> ({
      ^bb0(%arg26: tensor<f32>, %arg27: tensor<f32>):
        %102 = stablehlo.add %arg26, %arg27 : tensor<f32>
        stablehlo.return %102 : tensor<f32>
      }) : (tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
      %73 = stablehlo.add %50, %72 : tensor<2x8x16xf32>
      %74 = stablehlo.broadcast_in_dim %arg23, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %76 = stablehlo.add %73, %75 : tensor<2x8x16xf32>
      %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %77 = stablehlo.reduce(%76 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
      %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
      %cst_13 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %79 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %80 = stablehlo.divide %78, %79 : tensor<2x8x1xf32>
      %81 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %82 = stablehlo.subtract %76, %81 : tensor<2x8x16xf32>
      %83 = stablehlo.multiply %82, %82 : tensor<2x8x16xf32>
      %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %84 = stablehlo.reduce(%83 init: %cst_14) applies stablehlo.add across dimensions = [2] : (tensor<2x8x16xf32>, tensor<f32>) -> tensor<2x8xf32>
      %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x1xf32>
      %cst_15 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
      %86 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %87 = stablehlo.divide %85, %86 : tensor<2x8x1xf32>
      %88 = stablehlo.broadcast_in_dim %80, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %89 = stablehlo.subtract %76, %88 : tensor<2x8x16xf32>
      %cst_16 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
      %90 = stablehlo.convert %cst_16 : tensor<f32>
      %91 = stablehlo.broadcast_in_dim %90, dims = [] : (tensor<f32>) -> tensor<2x8x1xf32>
      %92 = stablehlo.add %87, %91 : tensor<2x8x1xf32>
      %93 = stablehlo.rsqrt %92 : tensor<2x8x1xf32>
      %94 = stablehlo.broadcast_in_dim %93, dims = [0, 1, 2] : (tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
      %95 = stablehlo.multiply %89, %94 : tensor<2x8x16xf32>
      %96 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %98 = stablehlo.multiply %95, %97 : tensor<2x8x16xf32>
      %99 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<16xf32>) -> tensor<1x1x16xf32>
      %100 = stablehlo.broadcast_in_dim %99, dims = [0, 1, 2] : (tensor<1x1x16xf32>) -> tensor<2x8x16xf32>
      %101 = stablehlo.add %98, %100 : tensor<2x8x16xf32>
      sdy.return %101 : tensor<2x8x16xf32>
    } : (tensor<4x8x16xf32>, tensor<16x4x4xf32>, tensor<16x4x4xf32>, tensor<16x4x4xf32>, tensor<4x4x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x32xf32>, tensor<32xf32>, tensor<32x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<4x8x16xf32>
    return %0 : tensor<4x8x16xf32>
  }
}
