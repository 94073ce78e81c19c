"builtin.module"() <{sym_name = "newer"}> ({
  "func.func"() <{function_type = () -> tensor<3xf8E4M3FNUZ>, sym_name = "constant_f8E4M3FNUZ", sym_visibility = "public"}> ({
    %30 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E4M3FNUZ>}> : () -> tensor<3xf8E4M3FNUZ>
    "func.return"(%30) : (tensor<3xf8E4M3FNUZ>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E5M2FNUZ>, sym_name = "constant_f8E5M2FNUZ", sym_visibility = "public"}> ({
    %29 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E5M2FNUZ>}> : () -> tensor<3xf8E5M2FNUZ>
    "func.return"(%29) : (tensor<3xf8E5M2FNUZ>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E4M3B11FNUZ>, sym_name = "constant_f8E4M3B11FNUZ", sym_visibility = "public"}> ({
    %28 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E4M3B11FNUZ>}> : () -> tensor<3xf8E4M3B11FNUZ>
    "func.return"(%28) : (tensor<3xf8E4M3B11FNUZ>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E4M3>, sym_name = "constant_f8E4M3", sym_visibility = "public"}> ({
    %27 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E4M3>}> : () -> tensor<3xf8E4M3>
    "func.return"(%27) : (tensor<3xf8E4M3>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E3M4>, sym_name = "constant_f8E3M4", sym_visibility = "public"}> ({
    %26 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf8E3M4>}> : () -> tensor<3xf8E3M4>
    "func.return"(%26) : (tensor<3xf8E3M4>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf4E2M1FN>, sym_name = "constant_f4E2M1FN", sym_visibility = "public"}> ({
    %25 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.000000e+00]> : tensor<3xf4E2M1FN>}> : () -> tensor<3xf4E2M1FN>
    "func.return"(%25) : (tensor<3xf4E2M1FN>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf6E2M3FN>, sym_name = "constant_f6E2M3FN", sym_visibility = "public"}> ({
    %24 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf6E2M3FN>}> : () -> tensor<3xf6E2M3FN>
    "func.return"(%24) : (tensor<3xf6E2M3FN>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf6E3M2FN>, sym_name = "constant_f6E3M2FN", sym_visibility = "public"}> ({
    %23 = "stablehlo.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.500000e+00]> : tensor<3xf6E3M2FN>}> : () -> tensor<3xf6E3M2FN>
    "func.return"(%23) : (tensor<3xf6E3M2FN>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xf8E8M0FNU>, sym_name = "constant_f8E8M0FNU", sym_visibility = "public"}> ({
    %22 = "stablehlo.constant"() <{value = dense<[1.000000e+00, 2.000000e+00, 4.000000e+00]> : tensor<3xf8E8M0FNU>}> : () -> tensor<3xf8E8M0FNU>
    "func.return"(%22) : (tensor<3xf8E8M0FNU>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xi2>, sym_name = "constant_i2", sym_visibility = "public"}> ({
    %21 = "stablehlo.constant"() <{value = dense<[1, -2, 0]> : tensor<3xi2>}> : () -> tensor<3xi2>
    "func.return"(%21) : (tensor<3xi2>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<3xui2>, sym_name = "constant_ui2", sym_visibility = "public"}> ({
    %20 = "stablehlo.constant"() <{value = dense<[1, 3, 0]> : tensor<3xui2>}> : () -> tensor<3xui2>
    "func.return"(%20) : (tensor<3xui2>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "tan", sym_visibility = "public"}> ({
  ^bb0(%arg26: tensor<2x3xf32>):
    %19 = "stablehlo.tan"(%arg26) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%19) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "exponential_tolerance", sym_visibility = "public"}> ({
  ^bb0(%arg25: tensor<2x3xf32>):
    %18 = "stablehlo.exponential"(%arg25) <{result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%18) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sine_highest", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<2x3xf32>):
    %17 = "stablehlo.sine"(%arg24) <{result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%17) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "collective_broadcast", sym_visibility = "public"}> ({
  ^bb0(%arg23: tensor<2x3xf32>):
    %16 = "stablehlo.collective_broadcast"(%arg23) <{channel_handle = #stablehlo.channel_handle<handle = 7, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%16) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "composite", sym_visibility = "public"}> ({
  ^bb0(%arg22: tensor<2x3xf32>):
    %15 = "stablehlo.composite"(%arg22) <{composite_attributes = {f = 1.500000e+00 : f32, n = 2 : i64, s = "text"}, decomposition = @body, name = "my.op", version = 3 : i32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%15) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "body", sym_visibility = "private"}> ({
  ^bb0(%arg21: tensor<2x3xf32>):
    %14 = "stablehlo.abs"(%arg21) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%14) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "custom_call_dictionary", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<2x3xf32>):
    %13 = "stablehlo.custom_call"(%arg20) <{api_version = 4 : i32, backend_config = {b = true, d = dense<[1, 2]> : tensor<2xi64>, f = 1.000000e-01 : f32, g = 0.33333333333333331 : f64, h = 1.23456788E+10 : f32, l = [1, 2], n = 2 : i32, s = "text"}, call_target_name = "target"}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%13) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>, sym_name = "dot_algorithm", sym_visibility = "public"}> ({
  ^bb0(%arg18: tensor<2x3xf32>, %arg19: tensor<3x2xf32>):
    %12 = "stablehlo.dot_general"(%arg18, %arg19) <{algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>, dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
    "func.return"(%12) : (tensor<2x2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x5x3xf32>, tensor<4x2x1xi32>) -> tensor<4x2x3xf32>, sym_name = "gather_batching", sym_visibility = "public"}> ({
  ^bb0(%arg16: tensor<4x5x3xf32>, %arg17: tensor<4x2x1xi32>):
    %11 = "stablehlo.gather"(%arg16, %arg17) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 3>}> : (tensor<4x5x3xf32>, tensor<4x2x1xi32>) -> tensor<4x2x3xf32>
    "func.return"(%11) : (tensor<4x2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>), sym_name = "all_reduce_many", sym_visibility = "public"}> ({
  ^bb0(%arg12: tensor<2x3xf32>, %arg13: tensor<2x3xf32>):
    %9:2 = "stablehlo.all_reduce"(%arg12, %arg13) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg14: tensor<f32>, %arg15: tensor<f32>):
      %10 = "stablehlo.add"(%arg14, %arg15) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%10) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    "func.return"(%9#0, %9#1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token, sym_name = "send_between", sym_visibility = "public"}> ({
  ^bb0(%arg10: tensor<2x3xf32>, %arg11: !stablehlo.token):
    %8 = "stablehlo.send"(%arg10, %arg11) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    "func.return"(%8) : (!stablehlo.token) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "all_reduce_mesh", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<2x3xf32>):
    %6 = "stablehlo.all_reduce"(%arg7) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes=[<name = "x", size = 4>]>, axes = [#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>]>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %7 = "stablehlo.add"(%arg8, %arg9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%6) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "async", sym_visibility = "public"}> ({
  ^bb0(%arg3: tensor<2x3xf32>):
    %2 = "stablehlo.async_start"(%arg3) ({
    ^bb0(%arg4: tensor<2x3xf32>):
      %4 = "stablehlo.all_reduce"(%arg4) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %5 = "stablehlo.add"(%arg5, %arg6) : (tensor<f32>, tensor<f32>) -> tensor<f32>
        "stablehlo.return"(%5) : (tensor<f32>) -> ()
      }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
      "stablehlo.return"(%4) : (tensor<2x3xf32>) -> ()
    }) : (tensor<2x3xf32>) -> !stablehlo.future<tensor<2x3xf32>>
    %3 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<2x3xf32>>) -> tensor<2x3xf32>
    "func.return"(%3) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "collective_reduce", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32>):
    %0 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
      %1 = "stablehlo.add"(%arg1, %arg2) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%1) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%0) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
