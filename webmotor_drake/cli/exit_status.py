"""What the command's exit status says."""

# A program that a signal ends has 128 and its number; see `interrupts`.
DONE, FAILED, WRONG_INPUT = 0, 1, 2
