"""A browser without a window, where one is installed."""

import shutil
import subprocess
from pathlib import Path

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None
)
_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
]


def browse(file: Path, *flags: str) -> subprocess.CompletedProcess:
    """Opens a page; what it logs is in `stderr`, as CONSOLE."""
    return subprocess.run(
        [
            CHROMIUM,
            *_FLAGS,
            f"--user-data-dir={file.parent / 'profile'}",
            *flags,
            file.as_uri(),
        ],
        capture_output=True,
        timeout=600,
        check=True,
        text=True,
    )
