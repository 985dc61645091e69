"""What both retrievers make of a hit."""

from __future__ import annotations

from typing import Any

from ._async import AsyncMillrace
from ._sync import Millrace
from .errors import PersonRequiredError
from .types import SearchHit

_CITED = (
    "title",
    "url",
    "record_id",
    "element_id",
    "version",
    "date_modified",
    "space_key",
    "filetype",
    "page_number",
    "path_in_archive",
    "score",
)


def require_person(client: Millrace | AsyncMillrace) -> None:
    if not client.names_person:
        raise PersonRequiredError("a retriever needs a client with a person")


def synchronous(client: Millrace | AsyncMillrace) -> Millrace:
    if isinstance(client, AsyncMillrace):
        raise TypeError("an AsyncMillrace answers only async calls; pass a Millrace for both kinds")
    return client


def text_of(hit: SearchHit) -> str:
    """With `group_by` all passages of the document, with `neighbours` the text around the hit."""
    around = hit.get("neighbours")
    before = [each["text"] for each in around["before"]] if around else []
    after = [each["text"] for each in around["after"]] if around else []
    passages = [each["text"] for each in hit.get("passages") or []]
    return "\n\n".join([*before, *(passages or [hit["text"]]), *after])


def metadata_of(hit: SearchHit) -> dict[str, Any]:
    """What a citation needs."""
    return {name: value for name in _CITED if (value := hit.get(name)) is not None}
