"""JSON lines of completions with log-probabilities: servers that speak OpenAI's interface, and vLLM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.sentence_json import (
    Row,
    SentenceJsonDialect,
    array,
    mapping,
    number,
    text,
    token_features,
)
from tunesmith.search.lists.rows import BadRowError

_MISSING = "there are no log-probabilities; ask for them (logprobs=1, of chat logprobs=true)"


@dialects.register("openai")
class OpenAIDialect(SentenceJsonDialect):
    """A response in each line: `choices` with `text` or `message`, or `outputs` of vLLM, one candidate each.

    Features: `logprob`, the sum over tokens, and `tokens`, how many there are; both of `logprobs`, or
    `cumulative_logprob` and `token_ids` of vLLM. The score is `logprob`. `features` of a choice are more features.
    A line of a batch has `custom_id`, which ends in the number of the sentence, and its `response`.
    """

    name: ClassVar[str] = "openai"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        first = next((line for line in head if line.strip()), "")
        for key in ("choices", "outputs"):
            if first.lstrip().startswith("{") and f'"{key}"' in first and "logprob" in first:
                return Detection(0.9, f'objects with "{key}" and log-probabilities')
        return NOT_MINE

    def number(self, line: Mapping[str, Any], default: int) -> int:
        """Return the number of `custom_id`; `id` is a name that the server made."""
        if "custom_id" not in line:
            return default
        found = re.search(r"[0-9]{1,12}$", str(line["custom_id"]), re.ASCII)
        if found is None:
            raise BadRowError(
                f"the custom_id {str(line['custom_id'])[:40]!r} does not end in the number of a sentence"
            )
        return int(found.group())

    def rows(self, line: Mapping[str, Any]) -> Iterable[Row]:
        if "response" in line:
            line = mapping(mapping(line["response"], "response").get("body"), "body")
        key = "choices" if "choices" in line else "outputs"
        if key not in line:
            raise BadRowError(
                'there are neither choices nor outputs; expected {"choices": [{"text": "…", "logprobs": …}]}'
            )
        for choice in array(line[key], key):
            yield _row(mapping(choice, key))

    def line(self, sentence: int, rows: Sequence[Row]) -> Mapping[str, Any]:
        """Return a line as vLLM's outputs. Values that `cumulative_logprob` does not give are in `features`."""
        outputs = []
        for row in rows:
            more = {name: value for name, value in row.features.items() if name != "logprob" or value != row.score}
            made = {"text": row.text, "cumulative_logprob": row.score}
            outputs.append({**made, "features": more} if more else made)
        return {"custom_id": str(sentence), "outputs": outputs}


def _row(choice: Mapping[str, Any]) -> Row:
    message = choice.get("message")
    words = choice.get("text") if message is None else mapping(message, "message").get("content")
    features = _log_probabilities(choice)
    for name, value in mapping(choice.get("features", {}), "features").items():
        features[name] = number(value, name)
    return Row(text(words, "the text"), features, _log_probabilities(choice)["logprob"])


def _log_probabilities(choice: Mapping[str, Any]) -> dict[str, float]:
    if choice.get("cumulative_logprob") is not None:
        tokens = choice.get("token_ids")
        count = {} if tokens is None else {"tokens": float(len(array(tokens, "token_ids")))}
        return {"logprob": number(choice["cumulative_logprob"], "cumulative_logprob"), **count}
    found = choice.get("logprobs")
    if found is None:
        raise BadRowError(_MISSING)
    values = mapping(found, "logprobs")
    if values.get("token_logprobs") is not None:
        return token_features(array(values["token_logprobs"], "token_logprobs"))
    if values.get("content") is not None:
        each = [mapping(token, "content") for token in array(values["content"], "content")]
        return token_features([token.get("logprob") for token in each])
    raise BadRowError(_MISSING)
