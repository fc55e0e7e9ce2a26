"""Supervisor of a command, which it ends with the parent: `python -I -S supervisor.py LIFELINE COMMAND…`.

LIFELINE is the read end of a pipe whose other end only the parent holds: the system closes it when the parent ends
in any way. Then the whole process group gets SIGTERM, and SIGKILL a little later. The supervisor leads that group,
imports next to nothing, and ends as the command ends.
"""

import os
import select
import signal
import sys
import time

GRACE = 3.0
"""Seconds between SIGTERM and SIGKILL."""


def main() -> None:
    """Start the command, then wait for its end or that of the parent."""
    lifeline = int(sys.argv[1])
    os.set_inheritable(lifeline, False)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    # Signals to the group are meant for the command, which starts with default handlers, since handlers are not
    # inherited.
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if number == signal.SIGCHLD or signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    command = sys.argv[2:]
    try:
        child = os.posix_spawnp(
            command[0], command, os.environ, setsigdef=(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
        )
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        sys.exit(127)
    while lifeline not in select.select([lifeline, woken], [], [])[0]:
        os.read(woken, 512)
        leave_with(child)
    os.killpg(0, signal.SIGTERM)
    deadline = time.monotonic() + GRACE
    while time.monotonic() < deadline and os.waitpid(child, os.WNOHANG)[0] == 0:
        time.sleep(0.02)
    os.killpg(0, signal.SIGKILL)


def leave_with(child: int) -> None:
    """End in the way the command ended."""
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended == 0:
        return
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    number = os.WTERMSIG(status)
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)


if __name__ == "__main__":
    main()
