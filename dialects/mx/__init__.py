"""MXNet symbols as their framework wrote them.

Every node of a symbol is one op of this dialect: a declared one where the table has its type
(`mx.Convolution`), else `mx.opaque`. `spec` says what the table is made of, `values` what the text of an
attribute stands for.
"""
