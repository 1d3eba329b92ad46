// RUN: autosplit-opt %s --split-input-file --parsing-diagnostics | filecheck %s

// CHECK: bytes literal expected
"test.op"() {p = #platform.proto<abc>} : () -> ()

// -----
// CHECK: cannot be parsed: zip() argument 2 is shorter than argument 1
"test.op"() {p = #platform.weight<"w", "8f14e45fceea167a">} : () -> ()

// -----
// CHECK: 'platform.nothing'
"test.op"() : () -> !platform.nothing
