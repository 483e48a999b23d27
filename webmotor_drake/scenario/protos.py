"""Nodes of a scenario that are instances of PROTOs, as supervisors see them."""

import dataclasses as dc


@dc.dataclass
class ProtoParameter:
    """A parameter of an instance.

    Attributes:
        type: such as "SFVec3f".
        value: at the start, as a file of Webots' has it; nodes have none.
        fields: the fields that it is connected to (IS), such as
            "arm::elbow.translation": their values are its value. Without any it
            never changes.
    """

    type: str = "SFFloat"
    value: str = ""
    fields: list[str] = dc.field(default_factory=list[str])


@dc.dataclass
class Proto:
    """A PROTO that a node is an instance of.

    Attributes:
        name: the PROTO's, which `Node.getTypeName` gives.
        parameters: its interface, by name.
        defs: the nodes with a DEF name in its body, for `Node.getFromProtoDef`.
    """

    name: str = ""
    parameters: dict[str, ProtoParameter] = dc.field(
        default_factory=dict[str, ProtoParameter]
    )
    defs: dict[str, str] = dc.field(default_factory=dict[str, str])
