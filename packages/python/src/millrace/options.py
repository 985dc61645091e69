"""Options of requests. A trailing underscore is not sent: `as_` is `as`."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import TypedDict

from .types import SearchFilters


class Person(TypedDict, total=False):
    """A person named by a key that may impersonate: the account id in the source, groups, or both."""

    user: str
    groups: list[str]


class RetrievalOptions(TypedDict, total=False):
    """What a retriever can set."""

    size: int
    filters: SearchFilters
    group_by: Literal["document"]
    neighbours: int


class SearchAllOptions(RetrievalOptions, total=False):
    why: bool
    as_: Person


class SearchOptions(SearchAllOptions, total=False):
    from_: int
    search_after: str
    facets: list[Literal["space_key", "labels", "filetype", "author", "modified"]]


class ElementOptions(TypedDict, total=False):
    limit: int
    path_in_archive: str
    as_: Person


class ReadOptions(ElementOptions, total=False):
    cursor: str


class JobFilters(TypedDict, total=False):
    workflow_id: str
    status: Literal["SCHEDULED", "IN_PROGRESS", "COMPLETED", "STOPPED", "FAILED"]
    kind: Literal["content", "permissions", "verify"]
    created_after: str
    created_before: str
    limit: int


class JobDocumentFilters(TypedDict, total=False):
    state: Literal[
        "pending",
        "in_progress",
        "new",
        "changed",
        "permissions_only",
        "unchanged",
        "skipped",
        "failed",
        "removed",
    ]
    error: str
    warning: str
    title: str
    space_key: str
    limit: int


class WorkflowFilters(TypedDict, total=False):
    source_id: str
    destination_id: str
    status: Literal["active", "inactive"]
    name: str


def sent(options: Any) -> dict[str, Any]:
    """The options by their names in the API."""
    return {name.rstrip("_"): value for name, value in options.items() if value is not None}


def read_query(options: Any) -> dict[str, Any]:
    """The query of a reading, which names the person in two parameters."""
    query = sent(options)
    return {**query.pop("as", {}), **query}
