"""Files that are values: they go along with a scenario, wherever it goes."""

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from webmotor_drake.scenario.copies import copies_folder, write_below


class NamedFiles:
    """The files of a folder with the digest of them as its name.

    Drake reads files: they are written where and when they are needed, once per
    process.

    Args:
        files: their contents, by their names in the folder.

    Attributes:
        files: contents by their names in the folder.
        name: the folder's; that of others differs.
    """

    def __init__(self, files: Mapping[str, bytes]):
        self.files = dict(files)
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        self.name = f"models-{digest.hexdigest()[:16]}"

    def __contains__(self, name: str) -> bool:
        """Returns whether a name is that of a file, with the folder's before it."""
        folder, _, rest = name.partition("/")
        return folder == self.name and rest in self.files

    def path(self, name: str) -> Path:
        """Returns the file of a name that is in it, written if it is not there."""
        above = copies_folder()
        folder = above / self.name
        if not folder.is_dir():
            new = Path(tempfile.mkdtemp(dir=above))
            write_below(new, self.files)
            try:
                new.rename(folder)
            except OSError:  # another thread was faster
                shutil.rmtree(new)
        return above / name
