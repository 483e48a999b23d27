"""A supervisor on the wire: its requests, and what its answers tell (supervisor.c).

The scene behind it is the one that Python controllers see; nothing is decided here.
"""

import struct
import typing

from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages
from webmotor_drake.host.scene.node_string import node_string
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import Node
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import Reader, text
from webmotor_drake.protocol.wire_fields import WireFields
from webmotor_drake.protocol.wire_motion import WireMotion
from webmotor_drake.protocol.wire_scene import WireScene

_EXPORT_IMAGE, _LOAD_WORLD, _RELOAD, _SET_LABEL, _QUIT, _RESET = range(50, 56)
_CHANGE_MODE, _RESET_PHYSICS, _START_MOVIE, _STOP_MOVIE = 56, 57, 58, 59
_START_ANIMATION, _STOP_ANIMATION, _RESTART_CONTROLLER = 60, 61, 68
_SET_VISIBILITY, _MOVE_VIEWPOINT, _EXPORT_STRING, _SAVE_WORLD = 69, 70, 77, 82
_REMOVE, _HEADSET_USED, _HEADSET_POSITION, _HEADSET_ORIENTATION = range(97, 101)
_FROM_ID, _FROM_DEF, _FROM_TAG, _SELECTED, _PROTO = 83, 84, 85, 86, 78
_MODE_CHANGED, _MOVIE_STATUS = 10, 18
PAUSE, REAL_TIME, FAST = 0, 1, 2
_MOVIE_FAILED = 3


class Rhythm(typing.Protocol):
    """Requests that end and start programs."""

    def reload(self) -> None:
        """Ends all programs, to start them again with the simulation."""

    def restart(self, robot: str) -> bool:
        """Ends the program of a robot; False: it has none."""
        ...


class WireSupervisor:
    """The right of a robot to see and change all of the world.

    Args:
        exchange: what the robot's devices share.
        rhythm: ends and starts programs.
    """

    def __init__(self, exchange: Exchange, rhythm: Rhythm):
        self._exchange, self._rhythm = exchange, rhythm
        self._stepped = exchange.host.stepped
        self._view = WireScene(exchange)
        order = list(self._stepped.simulation.motors).index(exchange.host.name)
        changes = self._stepped.changes
        self._fields = WireFields(
            self._view, lambda change: changes.want(order, change)
        )
        self._motion = WireMotion(self._view)
        self._mode = self.mode
        self._commands = {
            **self._fields.commands,
            **self._motion.commands,
            _EXPORT_IMAGE: self._export_image,
            _LOAD_WORLD: self._load_world,
            _RELOAD: lambda block: rhythm.reload(),
            _SET_LABEL: self._set_label,
            _QUIT: self._quit,
            _RESET: self._reset,
            _CHANGE_MODE: self._change_mode,
            _RESET_PHYSICS: self._reset_physics,
            _START_MOVIE: self._start_movie,
            _STOP_MOVIE: lambda block: None,
            _START_ANIMATION: self._start_animation,
            _STOP_ANIMATION: lambda block: self._view.tell(17, "B", 0),
            _RESTART_CONTROLLER: self._restart_controller,
            _SET_VISIBILITY: self._set_visibility,
            _MOVE_VIEWPOINT: lambda block: block.take(4),
            _EXPORT_STRING: self._export_string,
            _PROTO: self._proto,
            _SAVE_WORLD: self._save_world,
            _FROM_ID: self._from_id,
            _FROM_DEF: self._from_def,
            _FROM_TAG: self._from_tag,
            _SELECTED: lambda block: None,
            _REMOVE: self._remove,
            _HEADSET_USED: lambda block: self._view.tell(98, "B", 0),
            _HEADSET_POSITION: lambda block: None,
            _HEADSET_ORIENTATION: lambda block: None,
        }

    @property
    def mode(self) -> int:
        """The mode of the simulation, real time or fast."""
        simulator = self._stepped.simulation.simulator
        return REAL_TIME if simulator.get_target_realtime_rate() else FAST

    def configuration(self) -> bytes:
        """Returns what makes a client's robot a supervisor, without its tag."""
        self._view.forget()
        self._fields.tracked.clear()
        self._motion.tracked.clear()
        self._mode = self.mode
        node = self._view.scene.tree.model(self._exchange.host.name)
        parent = node.parent.id if node.parent is not None else 0
        return (
            struct.pack("<BIIBB", 0, node.id, parent, bool(node.protos), 0)
            + text(node.type_name)
            + text(node.definition)
        )

    def command(self, number: int, block: Reader) -> bool:
        """Carries out a request; False: it is not known."""
        if number not in self._commands:
            return False
        self._commands[number](block)
        return True

    def finish(self) -> None:
        """Ends a block of requests."""
        self._fields.finish()

    def answer(self, *, is_step: bool) -> list[bytes]:
        """Returns the messages that the client has not seen, without their tag."""
        view = self._view
        if is_step:
            self._fields.tell_tracked()
            self._motion.tell_tracked()
        view.tell_changes()
        if self.mode != self._mode:
            self._mode = self.mode
            view.tell(_MODE_CHANGED, "i", self._mode)
        told = list(view.fresh)
        view.fresh.clear()
        return told

    def leave(self) -> None:
        """Forgets the client that has left."""
        self._fields.finish()
        self._view.forget()

    def _tell_node(self, message: int, node: SceneNode | None) -> None:
        if node is not None:
            told = self._view.described(node)
            self._view.fresh.append(bytes([message]) + told)

    def _from_id(self, block: Reader) -> None:
        self._tell_node(_FROM_ID, self._view.node(block.u32()))

    def _from_tag(self, block: Reader) -> None:
        exchange, wire_tag = self._exchange, block.i32()
        tags = {wire: tag for tag, wire in exchange.tags.items()}
        if wire_tag in tags:
            scene = self._view.scene
            node = scene.device(exchange.host.name, tags[wire_tag])
            self._tell_node(_FROM_TAG, node)

    def _from_def(self, block: Reader) -> None:
        definition, proto = block.string(), block.i32()
        view, scene = self._view, self._view.scene
        if proto < 0:
            node = scene.find(definition)
        else:
            base = view.node(proto)
            node = scene.find_in(base, definition) if base else None
        if node is None:
            if proto < 0:
                known = scene.definitions()
                problem = unknown_name("DEF or model", definition, known)
                call = f"wb_supervisor_node_get_from_def({definition!r})"
                scene.say_once(call, problem)
            empty = struct.pack("<BIIiIB", _FROM_DEF, 0, 0, -1, 0, 0)
            view.fresh.append(empty + b"\0")
            return
        view.fresh.append(bytes([_FROM_DEF]) + view.found_by_name(node))
        if node.definition != definition.rpartition(".")[2]:
            self._tell_node(_FROM_ID, node)  # the client takes it for its DEF

    def _proto(self, block: Reader) -> None:
        """Tells the PROTO of a node, or the one that a PROTO derives from."""
        self._view.has_protos = True  # only such a client asks
        node, level = self._view.node(block.u32()), block.i32() + 1
        protos = node.protos if node is not None else []
        if node is None or not 0 <= level < len(protos):
            told = struct.pack("<BiBi", _PROTO, -1, 0, 0) + b"\0"
        else:
            count = len(self._view.fields(node, level))
            derived = level + 1 < len(protos)
            told = struct.pack("<BiBi", _PROTO, level, derived, count)
            told += text(protos[level].name)
        self._view.fresh.append(told)

    def _remove(self, block: Reader) -> None:
        call = "wb_supervisor_node_remove()"
        node = self._view.wanted(block.u32(), call)
        if node is not None:
            with messages.refusals(call):
                self._view.scene.stock.remove(node)

    def _export_string(self, block: Reader) -> None:
        node = self._view.node(block.u32())
        told = node_string(self._view.scene, node) if node is not None else ""
        self._view.fresh.append(b"\x4d" + text(told))

    def _set_label(self, block: Reader) -> None:
        number = block.u16()
        block.take(28)  # where, how large, which colour
        label, _ = block.string(), block.string()
        self._view.scene.labels[number] = label

    def _quit(self, block: Reader) -> None:
        self._stepped.simulation.exit_status = block.i32()
        self._stepped.end_run()

    def _reset(self, block: Reader) -> None:
        self._stepped.changes.reset = True

    def _reset_physics(self, block: Reader) -> None:
        scene = self._view.scene
        scene.physics.stop(scene.root.children)

    def _change_mode(self, block: Reader) -> None:
        wanted = block.i32()
        self._mode = wanted  # what its client has noted; the answer tells ours
        if wanted in (REAL_TIME, FAST):
            self._stepped.set_real_time_rate(1.0 if wanted == REAL_TIME else 0)
        else:
            problem = "the mode must be 0, 1 or 2"
            if wanted == PAUSE:
                problem = self._stepped.pause()
            if problem:
                messages.error("wb_supervisor_simulation_set_mode()", problem)

    def _load_world(self, block: Reader) -> None:
        block.string()
        messages.error("wb_supervisor_world_load()", "a run is of one scenario")

    def _save_world(self, block: Reader) -> None:
        if block.u8():
            block.string()
        messages.error(
            "wb_supervisor_world_save()", "scenarios are not written"
        )
        self._view.tell(82, "B", 0)

    def _restart_controller(self, block: Reader) -> None:
        call = "wb_supervisor_node_restart_controller()"
        node = self._view.node(block.u32())
        if node is None or node.type != Node.ROBOT:
            messages.error(call, "the node is not a robot")
        elif not self._rhythm.restart(node.model):
            messages.error(call, f"{node.name} has no controller now")

    def _set_visibility(self, block: Reader) -> None:
        block.take(9)
        messages.error(
            "wb_supervisor_node_set_visibility()", "nodes cannot be hidden"
        )

    def _no_picture(self, call: str, instead: str) -> None:
        messages.error(
            f"wb_supervisor_{call}()",
            f"there is no window to take pictures of; {instead}",
        )

    def _export_image(self, block: Reader) -> None:
        block.u8()
        block.string()
        self._no_picture("export_image", "a Camera has wb_camera_save_image()")

    def _start_movie(self, block: Reader) -> None:
        block.take(12)
        block.string()
        instead = "'webmotor run --html' draws a run"
        self._no_picture("movie_start_recording", instead)
        self._view.tell(_MOVIE_STATUS, "B", _MOVIE_FAILED)

    def _start_animation(self, block: Reader) -> None:
        block.string()
        instead = "'webmotor run --html' draws a run"
        self._no_picture("animation_start_recording", instead)
        self._view.tell(16, "B", 0)
