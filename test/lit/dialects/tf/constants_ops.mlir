// RUN: AUTOSPLIT_ROUNDTRIP

// Constants: the op, and reading and making them. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.Const "n" () <{value = dense<[1, 2]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
%y.Const = tf.Const "n" () <{value = dense<[1, 2]> : tensor<2xi32>, dtype = i32}> : () -> tensor<2xi32>
