"""The classes that a controller uses."""

import importlib
import pkgutil

# Robots know the classes of devices once their modules are there, see
# `Device._declared`.
for _module in pkgutil.iter_modules(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
