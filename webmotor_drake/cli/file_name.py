"""Names of scenarios as names of files."""

import re


def file_name(scenario_name: str) -> str:
    """Returns the name as that of a file, neither hidden nor elsewhere."""
    return re.sub(r"[^\w .+-]", "_", scenario_name).lstrip(". ") or "_"
