"""The vectors and products of the network as LLVM IR. Only compiling imports this folder."""
