"""Packages that controllers import and that are not there: how one gets them."""

import sys

# Names on PyPI that differ from the module's.
_PACKAGES = {
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "PIL": "pillow",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "stable_baselines3": "stable-baselines3",
    "usb": "pyusb",
    "yaml": "pyyaml",
    "zmq": "pyzmq",
}
# Packages of the module's own name that people's controllers import. Others are not
# named: a file that is missing would be looked for on PyPI.
_SAME = frozenset(
    """
    deap deepbots gym gymnasium ikpy imageio keras keyboard matplotlib networkx
    numba numpy openai pandas pygame pynput pyautogui pyzbar requests roboflow scipy
    seaborn shapely stable_baselines sympy tensorboard tensorflow torch
    torchvision tqdm transforms3d ultralytics websockets
    """.split()
)


def how_to_get(module: str) -> str:
    """Returns how one gets a module that was not found, for a message."""
    top = module.partition(".")[0]
    if top in ("tkinter", "turtle", "_tkinter"):
        return (
            "Python's tkinter is not installed here: apt install python3-tk, or"
            " what your system calls it"
        )
    if top in sys.stdlib_module_names:
        return f"this Python, {sys.version.split()[0]}, was built without it"
    if (package := _PACKAGES.get(top)) or top in _SAME:
        return f"{sys.executable} -m pip install {package or top}"
    return "it is neither beside the controller nor installed"
