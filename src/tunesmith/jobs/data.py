"""Transferable descriptions of the data of a job: texts for a model, lists, a command, or graphs."""

from __future__ import annotations

from tunesmith.jobs.decoded import Decoded
from tunesmith.jobs.graphed import Graphed
from tunesmith.jobs.listed import Commanded, Listed

Data = Decoded | Listed | Commanded | Graphed
