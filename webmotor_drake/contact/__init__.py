"""How shapes touch: which contact each has, materials, what keeps them standing."""
