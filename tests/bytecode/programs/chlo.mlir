"builtin.module"() <{sym_name = "chlo"}> ({
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "acos", sym_visibility = "public"}> ({
  ^bb0(%arg79: tensor<2x3xf32>):
    %50 = "chlo.acos"(%arg79) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%50) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "acosh", sym_visibility = "public"}> ({
  ^bb0(%arg78: tensor<2x3xf32>):
    %49 = "chlo.acosh"(%arg78) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%49) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "asin", sym_visibility = "public"}> ({
  ^bb0(%arg77: tensor<2x3xf32>):
    %48 = "chlo.asin"(%arg77) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%48) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "asinh", sym_visibility = "public"}> ({
  ^bb0(%arg76: tensor<2x3xf32>):
    %47 = "chlo.asinh"(%arg76) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%47) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "atan", sym_visibility = "public"}> ({
  ^bb0(%arg75: tensor<2x3xf32>):
    %46 = "chlo.atan"(%arg75) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%46) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "atanh", sym_visibility = "public"}> ({
  ^bb0(%arg74: tensor<2x3xf32>):
    %45 = "chlo.atanh"(%arg74) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%45) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "bessel_i1e", sym_visibility = "public"}> ({
  ^bb0(%arg73: tensor<2x3xf32>):
    %44 = "chlo.bessel_i1e"(%arg73) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%44) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "conj", sym_visibility = "public"}> ({
  ^bb0(%arg72: tensor<2x3xf32>):
    %43 = "chlo.conj"(%arg72) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%43) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "cosh", sym_visibility = "public"}> ({
  ^bb0(%arg71: tensor<2x3xf32>):
    %42 = "chlo.cosh"(%arg71) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%42) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "digamma", sym_visibility = "public"}> ({
  ^bb0(%arg70: tensor<2x3xf32>):
    %41 = "chlo.digamma"(%arg70) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%41) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "erf", sym_visibility = "public"}> ({
  ^bb0(%arg69: tensor<2x3xf32>):
    %40 = "chlo.erf"(%arg69) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%40) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "erf_inv", sym_visibility = "public"}> ({
  ^bb0(%arg68: tensor<2x3xf32>):
    %39 = "chlo.erf_inv"(%arg68) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%39) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "erfc", sym_visibility = "public"}> ({
  ^bb0(%arg67: tensor<2x3xf32>):
    %38 = "chlo.erfc"(%arg67) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%38) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "lgamma", sym_visibility = "public"}> ({
  ^bb0(%arg66: tensor<2x3xf32>):
    %37 = "chlo.lgamma"(%arg66) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%37) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "sinh", sym_visibility = "public"}> ({
  ^bb0(%arg65: tensor<2x3xf32>):
    %36 = "chlo.sinh"(%arg65) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%36) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "square", sym_visibility = "public"}> ({
  ^bb0(%arg64: tensor<2x3xf32>):
    %35 = "chlo.square"(%arg64) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%35) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "tan", sym_visibility = "public"}> ({
  ^bb0(%arg63: tensor<2x3xf32>):
    %34 = "chlo.tan"(%arg63) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%34) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xi1>, sym_name = "is_inf", sym_visibility = "public"}> ({
  ^bb0(%arg62: tensor<2x3xf32>):
    %33 = "chlo.is_inf"(%arg62) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    "func.return"(%33) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xi1>, sym_name = "is_neg_inf", sym_visibility = "public"}> ({
  ^bb0(%arg61: tensor<2x3xf32>):
    %32 = "chlo.is_neg_inf"(%arg61) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    "func.return"(%32) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xi1>, sym_name = "is_pos_inf", sym_visibility = "public"}> ({
  ^bb0(%arg60: tensor<2x3xf32>):
    %31 = "chlo.is_pos_inf"(%arg60) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    "func.return"(%31) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "next_after", sym_visibility = "public"}> ({
  ^bb0(%arg58: tensor<2x3xf32>, %arg59: tensor<2x3xf32>):
    %30 = "chlo.next_after"(%arg58, %arg59) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%30) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "polygamma", sym_visibility = "public"}> ({
  ^bb0(%arg56: tensor<2x3xf32>, %arg57: tensor<2x3xf32>):
    %29 = "chlo.polygamma"(%arg56, %arg57) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%29) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "zeta", sym_visibility = "public"}> ({
  ^bb0(%arg54: tensor<2x3xf32>, %arg55: tensor<2x3xf32>):
    %28 = "chlo.zeta"(%arg54, %arg55) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%28) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>, sym_name = "mulhi", sym_visibility = "public"}> ({
  ^bb0(%arg52: tensor<2x3xi32>, %arg53: tensor<2x3xi32>):
    %27 = "chlo.mulhi"(%arg52, %arg53) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    "func.return"(%27) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_add", sym_visibility = "public"}> ({
  ^bb0(%arg50: tensor<2x3xf32>, %arg51: tensor<3xf32>):
    %26 = "chlo.broadcast_add"(%arg50, %arg51) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%26) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_atan2", sym_visibility = "public"}> ({
  ^bb0(%arg48: tensor<2x3xf32>, %arg49: tensor<3xf32>):
    %25 = "chlo.broadcast_atan2"(%arg48, %arg49) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%25) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_divide", sym_visibility = "public"}> ({
  ^bb0(%arg46: tensor<2x3xf32>, %arg47: tensor<3xf32>):
    %24 = "chlo.broadcast_divide"(%arg46, %arg47) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%24) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_maximum", sym_visibility = "public"}> ({
  ^bb0(%arg44: tensor<2x3xf32>, %arg45: tensor<3xf32>):
    %23 = "chlo.broadcast_maximum"(%arg44, %arg45) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%23) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_minimum", sym_visibility = "public"}> ({
  ^bb0(%arg42: tensor<2x3xf32>, %arg43: tensor<3xf32>):
    %22 = "chlo.broadcast_minimum"(%arg42, %arg43) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%22) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_multiply", sym_visibility = "public"}> ({
  ^bb0(%arg40: tensor<2x3xf32>, %arg41: tensor<3xf32>):
    %21 = "chlo.broadcast_multiply"(%arg40, %arg41) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%21) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_next_after", sym_visibility = "public"}> ({
  ^bb0(%arg38: tensor<2x3xf32>, %arg39: tensor<3xf32>):
    %20 = "chlo.broadcast_next_after"(%arg38, %arg39) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%20) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_polygamma", sym_visibility = "public"}> ({
  ^bb0(%arg36: tensor<2x3xf32>, %arg37: tensor<3xf32>):
    %19 = "chlo.broadcast_polygamma"(%arg36, %arg37) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%19) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_power", sym_visibility = "public"}> ({
  ^bb0(%arg34: tensor<2x3xf32>, %arg35: tensor<3xf32>):
    %18 = "chlo.broadcast_power"(%arg34, %arg35) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%18) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_remainder", sym_visibility = "public"}> ({
  ^bb0(%arg32: tensor<2x3xf32>, %arg33: tensor<3xf32>):
    %17 = "chlo.broadcast_remainder"(%arg32, %arg33) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%17) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_subtract", sym_visibility = "public"}> ({
  ^bb0(%arg30: tensor<2x3xf32>, %arg31: tensor<3xf32>):
    %16 = "chlo.broadcast_subtract"(%arg30, %arg31) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%16) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_zeta", sym_visibility = "public"}> ({
  ^bb0(%arg28: tensor<2x3xf32>, %arg29: tensor<3xf32>):
    %15 = "chlo.broadcast_zeta"(%arg28, %arg29) <{broadcast_dimensions = array<i64: 1>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%15) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_and", sym_visibility = "public"}> ({
  ^bb0(%arg26: tensor<2x3xi32>, %arg27: tensor<3xi32>):
    %14 = "chlo.broadcast_and"(%arg26, %arg27) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%14) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_or", sym_visibility = "public"}> ({
  ^bb0(%arg24: tensor<2x3xi32>, %arg25: tensor<3xi32>):
    %13 = "chlo.broadcast_or"(%arg24, %arg25) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%13) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_xor", sym_visibility = "public"}> ({
  ^bb0(%arg22: tensor<2x3xi32>, %arg23: tensor<3xi32>):
    %12 = "chlo.broadcast_xor"(%arg22, %arg23) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%12) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_shift_left", sym_visibility = "public"}> ({
  ^bb0(%arg20: tensor<2x3xi32>, %arg21: tensor<3xi32>):
    %11 = "chlo.broadcast_shift_left"(%arg20, %arg21) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%11) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_shift_right_arithmetic", sym_visibility = "public"}> ({
  ^bb0(%arg18: tensor<2x3xi32>, %arg19: tensor<3xi32>):
    %10 = "chlo.broadcast_shift_right_arithmetic"(%arg18, %arg19) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%10) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>, sym_name = "broadcast_shift_right_logical", sym_visibility = "public"}> ({
  ^bb0(%arg16: tensor<2x3xi32>, %arg17: tensor<3xi32>):
    %9 = "chlo.broadcast_shift_right_logical"(%arg16, %arg17) : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    "func.return"(%9) : (tensor<2x3xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>, sym_name = "broadcast_compare", sym_visibility = "public"}> ({
  ^bb0(%arg14: tensor<2x3xf32>, %arg15: tensor<3xf32>):
    %8 = "chlo.broadcast_compare"(%arg14, %arg15) <{compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    "func.return"(%8) : (tensor<2x3xi1>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>, sym_name = "broadcast_complex", sym_visibility = "public"}> ({
  ^bb0(%arg12: tensor<2x3xf32>, %arg13: tensor<3xf32>):
    %7 = "chlo.broadcast_complex"(%arg12, %arg13) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
    "func.return"(%7) : (tensor<2x3xcomplex<f32>>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>, sym_name = "broadcast_select", sym_visibility = "public"}> ({
  ^bb0(%arg9: tensor<2x3xi1>, %arg10: tensor<2x3xf32>, %arg11: tensor<3xf32>):
    %6 = "chlo.broadcast_select"(%arg9, %arg10, %arg11) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    "func.return"(%6) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2x3xf32>) -> tensor<2x3xf32>, sym_name = "constant_like", sym_visibility = "public"}> ({
  ^bb0(%arg8: tensor<2x3xf32>):
    %5 = "chlo.constant_like"(%arg8) <{value = 3.200000e+00 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%5) : (tensor<2x3xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> tensor<2xi32>, sym_name = "constant", sym_visibility = "public"}> ({
    %4 = "chlo.constant"() <{value = dense<[1, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
    "func.return"(%4) : (tensor<2xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>), sym_name = "top_k", sym_visibility = "public"}> ({
  ^bb0(%arg7: tensor<4x8xf32>):
    %3:2 = "chlo.top_k"(%arg7) <{k = 2 : i64}> : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
    "func.return"(%3#0, %3#1) : (tensor<4x2xf32>, tensor<4x2xi32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>, sym_name = "ragged_dot", sym_visibility = "public"}> ({
  ^bb0(%arg4: tensor<6x3xf32>, %arg5: tensor<2x3x4xf32>, %arg6: tensor<2xi32>):
    %2 = "chlo.ragged_dot"(%arg4, %arg5, %arg6) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
    "func.return"(%2) : (tensor<6x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>), sym_name = "scan", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>):
    %0:2 = "chlo.scan"(%arg0, %arg1) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg2: tensor<3xf32>, %arg3: tensor<3xf32>):
      %1 = "stablehlo.add"(%arg2, %arg3) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      "stablehlo.return"(%1, %1) : (tensor<3xf32>, tensor<3xf32>) -> ()
    }) : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
    "func.return"(%0#0, %0#1) : (tensor<4x3xf32>, tensor<3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
