"""The reference of the verbs is what `--help` shows."""

from typer.main import get_command
from verb_pages import verb_pages

from tunesmith.cli.main import VERBS, app


def test_every_verb_and_each_of_its_options_is_on_a_page():
    pages = verb_pages()
    assert [title for title, _ in pages.values()] == list(VERBS)
    text = "\n".join(text for _, text in pages.values())
    command = get_command(app)
    context = command.make_context("tunesmith", ["--help"], resilient_parsing=True)
    for name in command.list_commands(context):
        verb = command.get_command(context, name)
        assert f"\n## `tunesmith {name}`\n" in text
        section = text.partition(f"\n## `tunesmith {name}`\n")[2].partition("\n## ")[0]
        for below in getattr(verb, "commands", {}).items():
            assert f"\n### `tunesmith {name} {below[0]}`\n" in section
        for each in verb.params:
            if each.param_type_name == "option" and not each.hidden:
                assert f"| `{max(each.opts, key=len)}`" in section
