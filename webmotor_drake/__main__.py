"""`python -m webmotor_drake` is the command `webmotor`."""

from webmotor_drake.cli.main import entry

if __name__ == "__main__":
    entry()
