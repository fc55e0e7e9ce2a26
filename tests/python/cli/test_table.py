"""Tables in a file or pipe."""

from tunesmith.cli.table import plain_table


def test_columns_of_text_stand_to_the_left():
    rows = [["1", "-4.5", "a long text"], ["22", "0.25", "b"]]
    assert plain_table(["no", "weight", "words"], rows, texts=(0, 2)) == [
        "no  weight  words",
        "1     -4.5  a long text",
        "22    0.25  b",
    ]
