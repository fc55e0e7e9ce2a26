"""Pictures of lessons show the numbers of their pages."""

import lesson_pictures
import pytest


@pytest.mark.parametrize("lesson", lesson_pictures.LESSONS)
def test_the_picture_is_what_the_code_of_its_page_gives(lesson):
    assert lesson_pictures.place_of(lesson).read_text(encoding="utf-8") == lesson_pictures.drawn(lesson)


def test_every_lesson_has_a_picture():
    pages = (lesson_pictures.DOCS / "guides" / "lessons").glob("*.md")
    assert {page.stem for page in pages} == set(lesson_pictures.LESSONS)
