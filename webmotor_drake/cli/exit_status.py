"""The exit statuses of the command."""

# A program that a signal ends has 128 and its number; see `interrupts`.
DONE, FAILED, WRONG_INPUT = 0, 1, 2


def status_of(number: int) -> int:
    """Returns the exit status of a process that wants to end with `number`.

    The system keeps eight bits; a failure does not become a success by that.
    """
    return number % 256 or (FAILED if number else DONE)
