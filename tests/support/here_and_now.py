"""Workers of a sweep that need no processes."""

from concurrent.futures import Future

from webmotor_drake.sweep.worker import work


class HereAndNow:
    """Workers that do each run at once, in this process.

    Attributes:
        done: what identifies each run, in the order in which they were done.
    """

    room = 2

    def __init__(self, work=work):
        self._work = work
        self.done = []

    def submit(self, job):
        self.done.append(job.run)
        future = Future()
        try:
            future.set_result(self._work(job))
        except Exception as error:
            future.set_exception(error)
        return future

    def stop(self):
        pass
