"""Charts of online runs: curves per epoch, weights that came and went, active features by template."""

from tunesmith.evaluation.pages.run_epochs import epoch_charts
from tunesmith.tuning.loop.history import Round


def rows(**templates):
    """Round 0 and three epochs, in which the features of templates with a weight double."""
    found = [Round(0, 10.0, active=3)]
    for epoch in (1, 2, 3):
        details = {"score last": 10.0 + epoch, "score average": 9.0 + epoch, "loss": 1.0 / epoch}
        details |= {"appeared": 8.0, "died": 2.0}
        details |= {f"active {name}": float(count * 2**epoch) for name, count in templates.items()}
        found.append(Round(epoch, 10.0 + epoch, details=details))
    return found


def test_an_online_run_has_curves_of_each_epoch():
    charts = epoch_charts(rows(dense=1, pair=50, shape=7), "BLEU", 3.0)
    titles = [
        "BLEU of both weights",
        "Loss while learning",
        "Weights that came and went",
        "Active features by template",
    ]
    assert [each.chart.title for each in charts] == titles
    names = [[name for name, _ in each.legend] for each in charts]
    assert names[0] == ["last", "average"]
    assert names[2] == ["appeared", "died"]
    assert names[3] == ["pair", "shape", "dense"]  # most features first
    assert all("<svg" in each.html for each in charts)


def test_templates_with_most_features_are_drawn():
    charts = epoch_charts(rows(**{f"template{at}": at for at in range(1, 10)}), "BLEU", 1.0)
    assert [name for name, _ in charts[-1].legend] == [f"template{at}" for at in range(9, 3, -1)]


def test_other_runs_have_none():
    assert epoch_charts([Round(at, 10.0) for at in range(4)], "BLEU", 1.0) == []
    assert len(epoch_charts(rows(dense=1), "BLEU", 1.0)) == 3  # one template has no chart of its own
