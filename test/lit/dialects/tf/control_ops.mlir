// RUN: AUTOSPLIT_ROUNDTRIP

// Inputs, identities, control flow and functions. Each op once, as its documentation shows it.

// CHECK: %{{.+}} = tf.Placeholder "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>
%y.Placeholder = tf.Placeholder "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>

// CHECK: %{{.+}} = tf.PlaceholderV2 "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>
%y.PlaceholderV2 = tf.PlaceholderV2 "n" () <{dtype = f32, shape = #tf.shape<[1, -1]>}> : () -> tensor<1x?xf32>

// CHECK: %{{.+}} = tf.PlaceholderWithDefault "n" (%{{.+}}) <{dtype = f32, shape = #tf.shape<[4]>}> : (tensor<4xf32>) -> tensor<4xf32>
%x.PlaceholderWithDefault = "test.op"() : () -> tensor<4xf32>
%y.PlaceholderWithDefault = tf.PlaceholderWithDefault "n" (%x.PlaceholderWithDefault) <{dtype = f32, shape = #tf.shape<[4]>}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Identity "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Identity = "test.op"() : () -> tensor<4xf32>
%y.Identity = tf.Identity "n" (%x.Identity) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.IdentityN "n" (%{{.+}}, %{{.+}}) <{T = [f32, i32]}> : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)
%a.IdentityN = "test.op"() : () -> tensor<4xf32>
%b.IdentityN = "test.op"() : () -> tensor<2xi32>
%y.IdentityN, %z.IdentityN = tf.IdentityN "n" (%a.IdentityN, %b.IdentityN) <{T = [f32, i32]}> : (tensor<4xf32>, tensor<2xi32>) -> (tensor<4xf32>, tensor<2xi32>)

// CHECK: %{{.+}} = tf.Snapshot "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Snapshot = "test.op"() : () -> tensor<4xf32>
%y.Snapshot = tf.Snapshot "n" (%x.Snapshot) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.StopGradient "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.StopGradient = "test.op"() : () -> tensor<4xf32>
%y.StopGradient = tf.StopGradient "n" (%x.StopGradient) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.PreventGradient "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.PreventGradient = "test.op"() : () -> tensor<4xf32>
%y.PreventGradient = tf.PreventGradient "n" (%x.PreventGradient) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.CheckNumerics "n" (%{{.+}}) <{T = f32, message = "bad"}> : (tensor<4xf32>) -> tensor<4xf32>
%x.CheckNumerics = "test.op"() : () -> tensor<4xf32>
%y.CheckNumerics = tf.CheckNumerics "n" (%x.CheckNumerics) <{T = f32, message = "bad"}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: tf.NoOp "n" () : () -> ()
tf.NoOp "n" () : () -> ()

// CHECK: tf.Assert "n" (%{{.+}}, %{{.+}}) <{T = [f32]}> : (tensor<i1>, tensor<4xf32>) -> ()
%a.Assert = "test.op"() : () -> tensor<i1>
%b.Assert = "test.op"() : () -> tensor<4xf32>
tf.Assert "n" (%a.Assert, %b.Assert) <{T = [f32]}> : (tensor<i1>, tensor<4xf32>) -> ()

// CHECK: %{{.+}} = tf.Print "n" (%{{.+}}, %{{.+}}) <{T = f32, U = [f32]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%a.Print = "test.op"() : () -> tensor<4xf32>
%b.Print = "test.op"() : () -> tensor<4xf32>
%y.Print = tf.Print "n" (%a.Print, %b.Print) <{T = f32, U = [f32]}> : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.PyFunc "n" (%{{.+}}) <{token = "f", Tin = [f32], Tout = [f32]}> : (tensor<4xf32>) -> tensor<*xf32>
%a.PyFunc = "test.op"() : () -> tensor<4xf32>
%y.PyFunc = tf.PyFunc "n" (%a.PyFunc) <{token = "f", Tin = [f32], Tout = [f32]}> : (tensor<4xf32>) -> tensor<*xf32>

// CHECK: %{{.+}}, %{{.+}} = tf.Switch "n" (%{{.+}}, %{{.+}}) <{T = f32}> : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)
%x.Switch = "test.op"() : () -> tensor<4xf32>
%w.Switch = "test.op"() : () -> tensor<i1>
%y.Switch, %z.Switch = tf.Switch "n" (%x.Switch, %w.Switch) <{T = f32}> : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)

// CHECK: %{{.+}}, %{{.+}} = tf.Merge "n" (%{{.+}}, %{{.+}}) <{T = f32, N = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)
%a.Merge = "test.op"() : () -> tensor<4xf32>
%b.Merge = "test.op"() : () -> tensor<4xf32>
%y.Merge, %z.Merge = tf.Merge "n" (%a.Merge, %b.Merge) <{T = f32, N = 2 : i64}> : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>)

// CHECK: %{{.+}} = tf.Enter "n" (%{{.+}}) <{T = f32, frame_name = "loop"}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Enter = "test.op"() : () -> tensor<4xf32>
%y.Enter = tf.Enter "n" (%x.Enter) <{T = f32, frame_name = "loop"}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.Exit "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.Exit = "test.op"() : () -> tensor<4xf32>
%y.Exit = tf.Exit "n" (%x.Exit) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.NextIteration "n" (%{{.+}}) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>
%x.NextIteration = "test.op"() : () -> tensor<4xf32>
%y.NextIteration = tf.NextIteration "n" (%x.NextIteration) <{T = f32}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.LoopCond "n" (%{{.+}}) : (tensor<i1>) -> tensor<i1>
%x.LoopCond = "test.op"() : () -> tensor<i1>
%y.LoopCond = tf.LoopCond "n" (%x.LoopCond) : (tensor<i1>) -> tensor<i1>

// CHECK: %{{.+}} = tf.PartitionedCall "n" (%{{.+}}) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
%a.PartitionedCall = "test.op"() : () -> tensor<4xf32>
%y.PartitionedCall = tf.PartitionedCall "n" (%a.PartitionedCall) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.StatefulPartitionedCall "n" (%{{.+}}) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
%a.StatefulPartitionedCall = "test.op"() : () -> tensor<4xf32>
%y.StatefulPartitionedCall = tf.StatefulPartitionedCall "n" (%a.StatefulPartitionedCall) <{Tin = [f32], Tout = [f32], f = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.If "n" (%{{.+}}, %{{.+}}) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
%a.If = "test.op"() : () -> tensor<i1>
%b.If = "test.op"() : () -> tensor<4xf32>
%y.If = tf.If "n" (%a.If, %b.If) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.StatelessIf "n" (%{{.+}}, %{{.+}}) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
%a.StatelessIf = "test.op"() : () -> tensor<i1>
%b.StatelessIf = "test.op"() : () -> tensor<4xf32>
%y.StatelessIf = tf.StatelessIf "n" (%a.StatelessIf, %b.StatelessIf) <{Tcond = i1, Tin = [f32], Tout = [f32], then_branch = #platform.proto<"R\03\0A\01f">, else_branch = #platform.proto<"R\03\0A\01f">}> : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.While "n" (%{{.+}}) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
%a.While = "test.op"() : () -> tensor<4xf32>
%y.While = tf.While "n" (%a.While) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.StatelessWhile "n" (%{{.+}}) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>
%a.StatelessWhile = "test.op"() : () -> tensor<4xf32>
%y.StatelessWhile = tf.StatelessWhile "n" (%a.StatelessWhile) <{T = [f32], cond = #platform.proto<"R\03\0A\01f">, body = #platform.proto<"R\03\0A\01f">}> : (tensor<4xf32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.RandomUniform "n" (%{{.+}}) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
%x.RandomUniform = "test.op"() : () -> tensor<1xi32>
%y.RandomUniform = tf.RandomUniform "n" (%x.RandomUniform) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>

// CHECK: %{{.+}} = tf.RandomUniformInt "n" (%{{.+}}, %{{.+}}, %{{.+}}) <{Tout = i32, T = i32}> : (tensor<1xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>
%x.RandomUniformInt = "test.op"() : () -> tensor<1xi32>
%w.RandomUniformInt = "test.op"() : () -> tensor<i32>
%b.RandomUniformInt = "test.op"() : () -> tensor<i32>
%y.RandomUniformInt = tf.RandomUniformInt "n" (%x.RandomUniformInt, %w.RandomUniformInt, %b.RandomUniformInt) <{Tout = i32, T = i32}> : (tensor<1xi32>, tensor<i32>, tensor<i32>) -> tensor<4xi32>

// CHECK: %{{.+}} = tf.RandomStandardNormal "n" (%{{.+}}) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
%x.RandomStandardNormal = "test.op"() : () -> tensor<1xi32>
%y.RandomStandardNormal = tf.RandomStandardNormal "n" (%x.RandomStandardNormal) <{dtype = f32, T = i32}> : (tensor<1xi32>) -> tensor<4xf32>
