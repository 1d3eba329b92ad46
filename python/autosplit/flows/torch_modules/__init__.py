"""PyTorch's modules as oneDNN runs them: exported, quantized, compiled, and called as before."""
