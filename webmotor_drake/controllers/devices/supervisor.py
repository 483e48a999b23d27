"""Webots' Supervisor: a Robot that sees and changes all of the world."""

import typing

from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.controllers.devices.robot import Robot
from webmotor_drake.controllers.devices.scene_node import Node
from webmotor_drake.controllers.devices.supervised import Supervised
from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages, supervision

_MAX_LABELS = 100
_NO_IMAGE = f"{supervision.NO_PICTURE}a Camera has saveImage()"


class Supervisor(Robot, Supervised):
    """A robot whose driver says `supervisor: true`.

    In any other robot each of these methods does nothing but print an error.
    """

    SIMULATION_MODE_PAUSE = supervision.PAUSE
    SIMULATION_MODE_REAL_TIME = supervision.REAL_TIME
    SIMULATION_MODE_FAST = supervision.FAST

    def _may(self, call: str) -> bool:
        return super()._may(f"Supervisor.{call}()")

    def _flush(self, method: str) -> bool:
        """Sends queued requests, as all calls of supervisors do in Webots."""
        call = f"Supervisor.{method}()"
        return self._may(method) and self._client.flush(call)

    def _node(self, method: str, **which: typing.Any) -> Node | None:
        if not self._may(method):
            return None
        node = Node(_client=self._client, **which)
        return node if node._node is not None else None

    def getRoot(self) -> Node | None:
        """Returns the node whose `children` are all models."""
        return self._node("getRoot")

    def getSelf(self) -> Node | None:
        """Returns the robot itself."""
        return self._node("getSelf", tag=0)

    def getFromDef(self, d: str | None) -> Node | None:
        """Returns the node with the DEF or name `d`; None without such a node.

        A path such as "ROBOT.wheel" looks inside the node before the dot. The first
        time that a name is unknown, it prints the known names. None finds no node.
        """
        if d is None:
            return None
        node = self._node("getFromDef", DEF=d)
        if node is None and self._client.host.is_supervisor:
            problem = unknown_name("DEF or model", d, self._scene.definitions())
            self._scene.say_once(f"Supervisor.getFromDef({d!r})", problem)
        return node

    def getFromId(self, id: int) -> Node | None:
        """Returns the node with the number `id`; None without such a node."""
        if self._may("getFromId") and id < 0:
            messages.error(f"Supervisor.getFromId({id})", "it is negative")
            return None
        return self._node("getFromId", id=id)

    def getFromDevice(self, tag: Device | int) -> Node | None:
        """Returns the node of a device of the robot, given the device or its tag."""
        number = tag._tag if isinstance(tag, Device) else tag
        node = self._node("getFromDevice", tag=number) if number else None
        if node is None and self._may("getFromDevice"):
            messages.error(
                "Supervisor.getFromDevice()", "the robot has no such device"
            )
        return node

    def getSelected(self) -> None:
        """Returns None: nothing is selected."""
        self._may("getSelected")

    def setLabel(
        self,
        id: int,
        label: str,
        x: float,
        y: float,
        size: float,
        color: int,
        transparency: float = 0,
        font: str = "Arial",
    ) -> None:
        """Writes a text beside the image; the last one is kept in the results.

        Args:
            id: the label's number, 0 to 99.
            label: the text; all further arguments have no effect here.
            x: from the left, 0 to 1.
            y: from the top, 0 to 1.
            size: 0 to 1.
            color: number 0xRRGGBB.
            transparency: 0 to 1.
            font: its name.
        """
        call = "Supervisor.setLabel()"
        if not self._may("setLabel"):
            return
        shares = {"x": x, "y": y, "size": size, "transparency": transparency}
        for name, value in shares.items():
            if not 0 <= messages.number(call, value) <= 1:
                messages.error(call, f"{name} is {value}; 0 to 1 is allowed")
                return
        if not 0 <= id < _MAX_LABELS:
            messages.error(
                call, f"the label's id must be from 0 to 99, got {id}"
            )
            return
        if self._flush("setLabel"):
            self._scene.labels[id] = str(label)

    def simulationQuit(self, status: int) -> None:
        """Ends the run at the next step, with this exit status."""
        number = messages.milliseconds("Supervisor.simulationQuit()", status)
        if self._flush("simulationQuit"):
            supervision.quit_run(self._client.host.stepped, number)

    def simulationSetMode(self, mode: int) -> None:
        """Sets the simulation to real time, to as fast as possible, or to a pause.

        A pause is as if the page's button was pressed; if nobody watches in a browser,
        who could end it, it is refused.
        """
        call = f"Supervisor.simulationSetMode({mode!r})"
        if not self._flush("simulationSetMode"):
            return
        if problem := supervision.set_mode(self._client.host.stepped, mode):
            messages.error(call, problem)

    def simulationGetMode(self) -> int:
        """Returns the mode of the simulation."""
        return supervision.present_mode(self._client.host.stepped)

    def simulationReset(self) -> None:
        """Resets the simulation at the end of the next basic step.

        The time becomes 0, and controllers go on. In the results time continues.
        """
        if self._flush("simulationReset"):
            self._client.host.stepped.changes.reset = True

    def simulationResetPhysics(self) -> None:
        """Stops all bodies, at once."""
        if self._flush("simulationResetPhysics"):
            self._scene.physics.stop(self._scene.root.children)

    def worldLoad(self, filename: str) -> None:
        """Prints an error: a run is of one scenario."""
        self._refuse("Supervisor.worldLoad()", supervision.ONE_SCENARIO)

    def worldSave(self, filename: str | None = None) -> bool:
        """Returns False: scenarios are not written."""
        return self._refuse("Supervisor.worldSave()", supervision.NO_SAVING)

    def worldReload(self) -> None:
        """Resets the simulation, and restarts all controllers.

        Controllers are told to end by their next step. The scenario's duration counts
        across reloads: after its end nothing starts again. In a RobotSession the
        program goes on: there it is the same as `simulationReset`.
        """
        if self._flush("worldReload") and (
            problem := self._client.rhythm.reload()
        ):
            messages.warning("Supervisor.worldReload()", problem)

    simulationRevert = worldReload

    def exportImage(self, filename: str, quality: int) -> None:
        """Prints an error: there is no window to take pictures of."""
        self._refuse("Supervisor.exportImage()", _NO_IMAGE)

    def movieStartRecording(
        self,
        filename: str,
        width: int,
        height: int,
        codec: int,
        quality: int,
        acceleration: int,
        caption: bool,
    ) -> None:
        """Prints an error: `webmotor run --html` draws a run."""
        self._refuse(
            "Supervisor.movieStartRecording()", supervision.DRAWN_INSTEAD
        )

    def movieStopRecording(self) -> None:
        """Does nothing: nothing is recorded."""
        self._may("movieStopRecording")

    def movieFailed(self) -> bool:
        """Returns True: no movie was made."""
        self._may("movieFailed")
        return True

    def animationStartRecording(self, filename: str) -> bool:
        """Returns False: `webmotor run --html` draws a run."""
        call = "Supervisor.animationStartRecording()"
        return self._refuse(call, supervision.DRAWN_INSTEAD)

    def animationStopRecording(self) -> bool:
        """Returns False: nothing is recorded."""
        return self._may("animationStopRecording") and False

    def movieIsReady(self) -> bool:
        """Returns True: nothing is recorded."""
        return self._may("movieIsReady")

    def virtualRealityHeadsetIsUsed(self) -> bool:
        """Returns False: there is no headset."""
        return False

    simulation_mode = property(simulationGetMode, simulationSetMode)
