// RUN: AUTOSPLIT_ROUNDTRIP

// Handles: tensor arrays, tensor lists, variables, tables. Each op once, as its documentation shows it.

// CHECK: %{{.+}}, %{{.+}} = tf.TensorArrayV3 "n" (%{{.+}}) <{dtype = f32}> : (tensor<i32>) -> (!tf.resource, tensor<f32>)
%x.TensorArrayV3 = "test.op"() : () -> tensor<i32>
%y.TensorArrayV3, %z.TensorArrayV3 = tf.TensorArrayV3 "n" (%x.TensorArrayV3) <{dtype = f32}> : (tensor<i32>) -> (!tf.resource, tensor<f32>)

// CHECK: %{{.+}} = tf.TensorArrayReadV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{dtype = f32}> : (!tf.resource, tensor<i32>, tensor<f32>) -> tensor<*xf32>
%x.TensorArrayReadV3 = "test.op"() : () -> !tf.resource
%w.TensorArrayReadV3 = "test.op"() : () -> tensor<i32>
%b.TensorArrayReadV3 = "test.op"() : () -> tensor<f32>
%y.TensorArrayReadV3 = tf.TensorArrayReadV3 "n" (%x.TensorArrayReadV3, %w.TensorArrayReadV3, %b.TensorArrayReadV3) <{dtype = f32}> : (!tf.resource, tensor<i32>, tensor<f32>) -> tensor<*xf32>

// CHECK: %{{.+}} = tf.TensorArrayWriteV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (!tf.resource, tensor<i32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
%a.TensorArrayWriteV3 = "test.op"() : () -> !tf.resource
%b.TensorArrayWriteV3 = "test.op"() : () -> tensor<i32>
%c.TensorArrayWriteV3 = "test.op"() : () -> tensor<4xf32>
%d.TensorArrayWriteV3 = "test.op"() : () -> tensor<f32>
%y.TensorArrayWriteV3 = tf.TensorArrayWriteV3 "n" (%a.TensorArrayWriteV3, %b.TensorArrayWriteV3, %c.TensorArrayWriteV3, %d.TensorArrayWriteV3) <{T = f32}> : (!tf.resource, tensor<i32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>

// CHECK: %{{.+}} = tf.TensorArrayGatherV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{dtype = f32}> : (!tf.resource, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>
%x.TensorArrayGatherV3 = "test.op"() : () -> !tf.resource
%w.TensorArrayGatherV3 = "test.op"() : () -> tensor<2xi32>
%b.TensorArrayGatherV3 = "test.op"() : () -> tensor<f32>
%y.TensorArrayGatherV3 = tf.TensorArrayGatherV3 "n" (%x.TensorArrayGatherV3, %w.TensorArrayGatherV3, %b.TensorArrayGatherV3) <{dtype = f32}> : (!tf.resource, tensor<2xi32>, tensor<f32>) -> tensor<*xf32>

// CHECK: %{{.+}} = tf.TensorArrayScatterV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (!tf.resource, tensor<2xi32>, tensor<2x4xf32>, tensor<f32>) -> tensor<f32>
%a.TensorArrayScatterV3 = "test.op"() : () -> !tf.resource
%b.TensorArrayScatterV3 = "test.op"() : () -> tensor<2xi32>
%c.TensorArrayScatterV3 = "test.op"() : () -> tensor<2x4xf32>
%d.TensorArrayScatterV3 = "test.op"() : () -> tensor<f32>
%y.TensorArrayScatterV3 = tf.TensorArrayScatterV3 "n" (%a.TensorArrayScatterV3, %b.TensorArrayScatterV3, %c.TensorArrayScatterV3, %d.TensorArrayScatterV3) <{T = f32}> : (!tf.resource, tensor<2xi32>, tensor<2x4xf32>, tensor<f32>) -> tensor<f32>

// CHECK: %{{.+}}, %{{.+}} = tf.TensorArrayConcatV3 "n" (%{{.+}}, %{{.+}}) <{dtype = f32}> : (!tf.resource, tensor<f32>) -> (tensor<*xf32>, tensor<2xi64>)
%x.TensorArrayConcatV3 = "test.op"() : () -> !tf.resource
%w.TensorArrayConcatV3 = "test.op"() : () -> tensor<f32>
%y.TensorArrayConcatV3, %z.TensorArrayConcatV3 = tf.TensorArrayConcatV3 "n" (%x.TensorArrayConcatV3, %w.TensorArrayConcatV3) <{dtype = f32}> : (!tf.resource, tensor<f32>) -> (tensor<*xf32>, tensor<2xi64>)

// CHECK: %{{.+}} = tf.TensorArraySplitV3 "n" (%{{.+}}, %{{.+}}, %{{.+}}, %{{.+}}) <{T = f32}> : (!tf.resource, tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<f32>
%a.TensorArraySplitV3 = "test.op"() : () -> !tf.resource
%b.TensorArraySplitV3 = "test.op"() : () -> tensor<4xf32>
%c.TensorArraySplitV3 = "test.op"() : () -> tensor<2xi64>
%d.TensorArraySplitV3 = "test.op"() : () -> tensor<f32>
%y.TensorArraySplitV3 = tf.TensorArraySplitV3 "n" (%a.TensorArraySplitV3, %b.TensorArraySplitV3, %c.TensorArraySplitV3, %d.TensorArraySplitV3) <{T = f32}> : (!tf.resource, tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<f32>

// CHECK: %{{.+}} = tf.TensorArraySizeV3 "n" (%{{.+}}, %{{.+}}) : (!tf.resource, tensor<f32>) -> tensor<i32>
%x.TensorArraySizeV3 = "test.op"() : () -> !tf.resource
%w.TensorArraySizeV3 = "test.op"() : () -> tensor<f32>
%y.TensorArraySizeV3 = tf.TensorArraySizeV3 "n" (%x.TensorArraySizeV3, %w.TensorArraySizeV3) : (!tf.resource, tensor<f32>) -> tensor<i32>

// CHECK: tf.TensorArrayCloseV3 "n" (%{{.+}}) : (!tf.resource) -> ()
%x.TensorArrayCloseV3 = "test.op"() : () -> !tf.resource
tf.TensorArrayCloseV3 "n" (%x.TensorArrayCloseV3) : (!tf.resource) -> ()

// CHECK: %{{.+}} = tf.TensorListFromTensor "n" (%{{.+}}, %{{.+}}) <{element_dtype = f32, shape_type = i32}> : (tensor<2x4xf32>, tensor<1xi32>) -> !tf.variant
%x.TensorListFromTensor = "test.op"() : () -> tensor<2x4xf32>
%w.TensorListFromTensor = "test.op"() : () -> tensor<1xi32>
%y.TensorListFromTensor = tf.TensorListFromTensor "n" (%x.TensorListFromTensor, %w.TensorListFromTensor) <{element_dtype = f32, shape_type = i32}> : (tensor<2x4xf32>, tensor<1xi32>) -> !tf.variant

// CHECK: %{{.+}} = tf.TensorListGetItem "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<1xi32>) -> tensor<4xf32>
%x.TensorListGetItem = "test.op"() : () -> !tf.variant
%w.TensorListGetItem = "test.op"() : () -> tensor<i32>
%b.TensorListGetItem = "test.op"() : () -> tensor<1xi32>
%y.TensorListGetItem = tf.TensorListGetItem "n" (%x.TensorListGetItem, %w.TensorListGetItem, %b.TensorListGetItem) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<1xi32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.TensorListReserve "n" (%{{.+}}, %{{.+}}) <{element_dtype = f32, shape_type = i32}> : (tensor<1xi32>, tensor<i32>) -> !tf.variant
%x.TensorListReserve = "test.op"() : () -> tensor<1xi32>
%w.TensorListReserve = "test.op"() : () -> tensor<i32>
%y.TensorListReserve = tf.TensorListReserve "n" (%x.TensorListReserve, %w.TensorListReserve) <{element_dtype = f32, shape_type = i32}> : (tensor<1xi32>, tensor<i32>) -> !tf.variant

// CHECK: %{{.+}} = tf.TensorListSetItem "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<4xf32>) -> !tf.variant
%x.TensorListSetItem = "test.op"() : () -> !tf.variant
%w.TensorListSetItem = "test.op"() : () -> tensor<i32>
%b.TensorListSetItem = "test.op"() : () -> tensor<4xf32>
%y.TensorListSetItem = tf.TensorListSetItem "n" (%x.TensorListSetItem, %w.TensorListSetItem, %b.TensorListSetItem) <{element_dtype = f32}> : (!tf.variant, tensor<i32>, tensor<4xf32>) -> !tf.variant

// CHECK: %{{.+}} = tf.TensorListStack "n" (%{{.+}}, %{{.+}}) <{element_dtype = f32}> : (!tf.variant, tensor<1xi32>) -> tensor<2x4xf32>
%x.TensorListStack = "test.op"() : () -> !tf.variant
%w.TensorListStack = "test.op"() : () -> tensor<1xi32>
%y.TensorListStack = tf.TensorListStack "n" (%x.TensorListStack, %w.TensorListStack) <{element_dtype = f32}> : (!tf.variant, tensor<1xi32>) -> tensor<2x4xf32>

// CHECK: %{{.+}} = tf.VarHandleOp "n" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> !tf.resource
%y.VarHandleOp = tf.VarHandleOp "n" () <{dtype = f32, shape = #tf.shape<[4]>}> : () -> !tf.resource

// CHECK: %{{.+}} = tf.ReadVariableOp "n" (%{{.+}}) <{dtype = f32}> : (!tf.resource) -> tensor<4xf32>
%x.ReadVariableOp = "test.op"() : () -> !tf.resource
%y.ReadVariableOp = tf.ReadVariableOp "n" (%x.ReadVariableOp) <{dtype = f32}> : (!tf.resource) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.VariableV2 "n" () <{shape = #tf.shape<[4]>, dtype = f32}> : () -> tensor<4x!tf.dtype<101>>
%y.VariableV2 = tf.VariableV2 "n" () <{shape = #tf.shape<[4]>, dtype = f32}> : () -> tensor<4x!tf.dtype<101>>

// CHECK: %{{.+}} = tf.HashTableV2 "n" () <{key_dtype = i64, value_dtype = i64}> : () -> !tf.resource
%y.HashTableV2 = tf.HashTableV2 "n" () <{key_dtype = i64, value_dtype = i64}> : () -> !tf.resource

// CHECK: %{{.+}} = tf.LookupTableFindV2 "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{Tin = i64, Tout = i64}> : (!tf.resource, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
%x.LookupTableFindV2 = "test.op"() : () -> !tf.resource
%w.LookupTableFindV2 = "test.op"() : () -> tensor<4xi64>
%b.LookupTableFindV2 = "test.op"() : () -> tensor<i64>
%y.LookupTableFindV2 = tf.LookupTableFindV2 "n" (%x.LookupTableFindV2, %w.LookupTableFindV2, %b.LookupTableFindV2) <{Tin = i64, Tout = i64}> : (!tf.resource, tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
