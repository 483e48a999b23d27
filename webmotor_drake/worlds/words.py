"""Lists of names, as they stand in a table."""


def words(text: str) -> list[str]:
    """Returns the words of a text."""
    return text.split()
