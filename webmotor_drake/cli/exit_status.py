"""What the command's exit status says."""

DONE, FAILED, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
