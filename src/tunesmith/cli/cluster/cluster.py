"""`tunesmith cluster`: a scheduler with workers that outlives a command, for several of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from tunesmith.cli import options
from tunesmith.cli.cluster.cluster_options import observer
from tunesmith.cli.console import note
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.printing import put, say

cluster = verb_group("cluster", "Start, show and stop clusters of workers.")

Folder = Annotated[Path, argument("FOLDER", "Folder of the cluster.")]
Wait = Annotated[float, option("--wait SECONDS", "Seconds to wait for the scheduler.", min=0)]


@cluster.command(cls=Verb)
def start(
    place: Annotated[
        str, argument("PLACE", "local:workers=2, slurm:queue=…,cores=…, pbs:…, sge:…, lsf:…, or TOML.")
    ],
    output: Annotated[Path | None, option("-o --output FOLDER", "For keys, logs and the address.")] = None,
    dry_run: Annotated[bool, option("--dry-run", "Only print the script of a job.")] = False,
    wait: Wait = 60.0,
    quiet: options.Quiet = False,
) -> None:
    """Start a scheduler here and workers as processes or as jobs; the folder is what `--cluster` takes.

    Connections are encrypted; the keys are in the folder, which only you can read.

    [bold]Examples[/bold]
      tunesmith cluster start local:workers=4 -o cluster/
      tunesmith cluster start slurm:queue=long,cores=8,walltime=04:00:00,jobs=10 -o cluster/
      tunesmith cluster start cluster.toml --dry-run
    """
    from tunesmith.errors import ConfigError
    from tunesmith.execution.cluster import read_place
    from tunesmith.execution.cluster.server import job_script, start_server
    from tunesmith.execution.temporary import temporary_folder

    if dry_run:
        with temporary_folder("cluster") as folder:
            put(job_script(read_place(place), folder))
        return
    if output is None:
        raise ConfigError("name a folder for keys, logs and the address of the cluster: -o FOLDER")
    found = start_server(place, output, wait)
    note(
        f"scheduler {found['address']}, dashboard {found['dashboard']}; use it with --cluster {output}",
        quiet=quiet,
    )


@cluster.command(cls=Verb)
def status(
    place: Annotated[str, argument("FOLDER|ADDRESS", "A cluster that runs.")],
    wait: Wait = 30.0,
    quiet: options.Quiet = False,
) -> None:
    """Say which workers a cluster has, and what they do.

    [bold]Examples[/bold]
      tunesmith cluster status cluster/
    """
    from tunesmith.execution.cluster import open_cluster, read_place
    from tunesmith.execution.cluster.opening import dashboard_of

    with open_cluster(read_place(place), connect=wait, observer=observer(quiet=quiet)) as opened:
        known = opened.client.scheduler_info(n_workers=-1)
        say(f"scheduler {known['address']}, dashboard {dashboard_of(opened.client)}")
        say(f"workers {len(known['workers'])}")
        for address, worker in sorted(known["workers"].items()):
            metrics = worker.get("metrics", {})
            busy = metrics.get("task_counts", {}).get("executing", 0)
            say(f"  {address} {worker['name']}: {busy} blocks, {metrics.get('memory', 0) / 2**20:.0f} MiB")


@cluster.command(cls=Verb)
def stop(folder: Folder, wait: Wait = 60.0, quiet: options.Quiet = False) -> None:
    """Stop the cluster of a folder and its workers.

    [bold]Examples[/bold]
      tunesmith cluster stop cluster/
    """
    from tunesmith.execution.cluster.server import stop_server

    stop_server(folder, wait)
    note(f"{folder}: the cluster has ended", quiet=quiet)
