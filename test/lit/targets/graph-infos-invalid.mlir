// RUN: not autosplit-opt %s -t graph-infos 2>&1 | filecheck %s

// A module that is not outlined has no sub-models to describe.

builtin.module {
}

// CHECK: the module is not outlined: expected device.func @main
