"""`tunesmith experiment`: comparisons of papers, from data to a table."""

from __future__ import annotations

from tunesmith.cli.declaring import takes_several
from tunesmith.cli.experiments.cherry2012 import cherry2012
from tunesmith.cli.experiments.green2014 import green2014
from tunesmith.cli.experiments.liu2013 import liu2013
from tunesmith.cli.experiments.watanabe2007 import watanabe2007
from tunesmith.cli.group import Verb, verb_group

experiment = verb_group("experiment", "Repeat the experiment of a paper on your own data, and write its tables.")

for paper in (liu2013, cherry2012, green2014, watanabe2007):
    experiment.command(cls=Verb)(takes_several("--rows", "--repeat", "--tuners", "--sizes", "--tables")(paper))
