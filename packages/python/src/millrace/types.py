# Written by `npm run openapi` from docs/openapi.json. Do not edit.
"""The shapes of responses."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class SearchFilters(TypedDict):
    space_key: NotRequired[str | list[str]]
    labels: NotRequired[str | list[str]]
    ancestors: NotRequired[str | list[str]]
    author: NotRequired[str | list[str]]
    filetype: NotRequired[str | list[str]]
    record_id: NotRequired[str | list[str]]
    path_in_archive: NotRequired[str | list[str]]
    created: NotRequired[SearchFiltersCreated]
    modified: NotRequired[SearchFiltersModified]


class SearchFiltersCreated(TypedDict):
    gte: NotRequired[str]
    lte: NotRequired[str]


class SearchFiltersModified(TypedDict):
    gte: NotRequired[str]
    lte: NotRequired[str]


class SearchResults(TypedDict):
    total: float
    total_relation: Literal["eq", "lte"]
    incomplete: bool
    unknown_document: float
    hidden: list[SearchResultsHidden]
    hits: list[SearchHit]
    next: str | None
    facets: NotRequired[dict[str, list[SearchResultsFacets]]]
    facets_relation: NotRequired[Literal["eq", "gte"]]


class SearchResultsHidden(TypedDict):
    workflow_id: str
    scope: str
    reason: Literal["stale", "never"]
    proved_at: str | None


class SearchHit(TypedDict):
    record_id: str
    element_id: str
    score: float
    text: str
    highlight: str | None
    highlights: list[str]
    title: str | None
    url: str | None
    version: str | None
    date_modified: str | None
    space_key: str | None
    filetype: str | None
    page_number: float | None
    path_in_archive: str | None
    granted_by: list[str]
    passages: NotRequired[list[SearchHitPassages]]
    neighbours: NotRequired[SearchHitNeighbours]
    why: NotRequired[SearchHitWhy | None]


class SearchHitPassages(TypedDict):
    element_id: str
    score: float
    text: str
    highlights: list[str]


class SearchHitNeighbours(TypedDict):
    before: list[SearchHitNeighboursBefore]
    after: list[SearchHitNeighboursAfter]


class SearchHitNeighboursBefore(TypedDict):
    element_id: str
    text: str


class SearchHitNeighboursAfter(TypedDict):
    element_id: str
    text: str


class SearchHitWhy(TypedDict):
    as_of: str
    levels: list[SearchHitWhyLevels]


class SearchHitWhyLevels(TypedDict):
    level: Literal["space", "ancestor", "page"]
    id: str
    title: str | None
    by: list[str]


class SearchResultsFacets(TypedDict):
    value: str
    count: float


class ReadDocument(TypedDict):
    record_id: str
    title: str | None
    url: str | None
    version: str | None
    date_modified: str | None
    space_key: str | None
    filetype: str | None
    path_in_archive: str | None
    elements: list[DocumentElement]
    next: str | None


class DocumentElement(TypedDict):
    element_id: str
    type: str
    text: str
    page_number: float | None
    path_in_archive: str | None


class FailedFiles(TypedDict):
    failed_files: list[FailedFilesFailedFiles]


class FailedFilesFailedFiles(TypedDict):
    document: str
    error: str


class Job(TypedDict):
    id: str
    workflow_id: str
    workflow_name: str
    status: Literal["SCHEDULED", "IN_PROGRESS", "COMPLETED", "STOPPED", "FAILED"]
    created_at: str
    runtime: str | None
    input_file_ids: list[str] | None
    output_node_files: list[JobOutputNodeFiles] | None
    job_type: Literal["ephemeral", "persistent", "scheduled", "template"]
    # `permissions` jobs read no text and add no document; `verify` jobs compare or repair an index, and their `workflow_id` is the destination
    kind: Literal["content", "permissions", "verify"]
    processing_status: Literal["SCHEDULED", "IN_PROGRESS", "SUCCESS", "COMPLETED_WITH_ERRORS", "STOPPED", "FAILED"]
    # Documents found so far, processed or not
    found: float
    counts: JobCounts
    # Documents whose removal waits for approval
    held_back: float
    # What limits left out of the run; null if nothing
    incomplete: JobIncomplete | None
    started_by: JobStartedBy


class JobOutputNodeFiles(TypedDict):
    node_id: str
    file_id: str
    node_type: str
    node_subtype: str


class JobCounts(TypedDict):
    discovered: float
    new: float
    changed: float
    unchanged: float
    skipped: float
    failed: float
    removed: float
    permissions_only: float


class JobIncomplete(TypedDict):
    # How many documents limits left out; null if unknown
    documents: float | None
    limits: list[JobIncompleteLimits]


class JobIncompleteLimits(TypedDict):
    kind: Literal["documents_per_scope", "scopes", "file_size", "destination_documents"]
    # The setting of the source; null for a fixed limit
    setting: str | None
    scope: str | None
    # Documents, or scopes; null if unknown
    left_out: float | None
    # What is left out, a singular lower-case noun such as `page`
    noun: str
    source_id: str | None


class JobStartedBy(TypedDict):
    kind: Literal["person", "key", "schedule", "retry", "unknown"]
    # Name of the person or key; null if deleted
    name: str | None


class JobDetails(TypedDict):
    id: str
    processing_status: Literal["SCHEDULED", "IN_PROGRESS", "SUCCESS", "COMPLETED_WITH_ERRORS", "STOPPED", "FAILED"]
    node_stats: list[JobDetailsNodeStats]
    message: str | None
    # Why the job failed: a code of the error catalogue, and what to change; null if it did not fail
    error: JobDetailsError | None
    # Time spent on `list`, `read`, `partition`, `enrich`, `chunk`, `embed` and `write`; parallel work adds up, so the sum can exceed the runtime
    step_seconds: dict[str, float]
    summary: JobDetailsSummary
    counts: JobDetailsCounts
    warnings: list[JobDetailsWarnings]
    # What limits left out of the run; null if nothing
    incomplete: JobDetailsIncomplete | None
    # Whether its documents can still be listed
    documents_kept: bool
    # The settings it started with; later changes of the workflow do not apply
    settings: JobDetailsSettings


class JobDetailsNodeStats(TypedDict):
    node_name: str
    node_type: str
    node_subtype: str
    ready: float
    in_progress: float
    success: float
    failure: float


class JobDetailsError(TypedDict):
    code: str
    # What the warning is about
    subject: JobDetailsErrorSubject | None


class JobDetailsErrorSubject(TypedDict):
    kind: Literal["workflow", "source", "destination", "job", "document", "setting", "documents"]
    # For `setting` the source or workflow, for `documents` the job
    id: str
    # The setting, or the code of the warning or error that the documents have
    field: str | None


class JobDetailsSummary(TypedDict):
    total_docs: float
    total_docs_succeeded: float
    total_docs_failed: float


class JobDetailsCounts(TypedDict):
    discovered: float
    new: float
    changed: float
    unchanged: float
    skipped: float
    failed: float
    removed: float
    permissions_only: float


class JobDetailsWarnings(TypedDict):
    code: str
    message: str
    documents: NotRequired[float]
    # What the warning is about
    subject: JobDetailsWarningsSubject | None


class JobDetailsWarningsSubject(TypedDict):
    kind: Literal["workflow", "source", "destination", "job", "document", "setting", "documents"]
    # For `setting` the source or workflow, for `documents` the job
    id: str
    # The setting, or the code of the warning or error that the documents have
    field: str | None


class JobDetailsIncomplete(TypedDict):
    # How many documents limits left out; null if unknown
    documents: float | None
    limits: list[JobDetailsIncompleteLimits]


class JobDetailsIncompleteLimits(TypedDict):
    kind: Literal["documents_per_scope", "scopes", "file_size", "destination_documents"]
    # The setting of the source; null for a fixed limit
    setting: str | None
    scope: str | None
    # Documents, or scopes; null if unknown
    left_out: float | None
    # What is left out, a singular lower-case noun such as `page`
    noun: str
    source_id: str | None


class JobDetailsSettings(TypedDict):
    """The settings it started with; later changes of the workflow do not apply."""

    source_id: NotRequired[str | None]
    destination_id: NotRequired[str | None]
    nodes: list[WorkflowNode]
    reprocess_all: NotRequired[bool]
    swap_index: NotRequired[bool]
    retry_of: NotRequired[str]
    # The job removes the elements of a deleted workflow
    remove_elements: NotRequired[bool]


class WorkflowNode(TypedDict):
    id: str
    name: str
    type: str
    subtype: str
    settings: dict[str, Any] | None


class JobDocuments(TypedDict):
    items: list[JobDocument]
    # Documents by state that the filters match, whatever `state` is
    totals: dict[str, float]
    # The scopes that the job read, such as spaces
    scopes: list[JobDocumentsScopes]
    next: str | None
    previous: str | None


class JobDocument(TypedDict):
    record_id: str
    title: str
    url: str
    state: str
    attempts: float
    error: NotRequired[JobDocumentError]
    elements: float | None
    warnings: NotRequired[list[JobDocumentWarnings]]
    updated_at: str


class JobDocumentError(TypedDict):
    code: str
    message: str


class JobDocumentWarnings(TypedDict):
    code: str
    count: float
    message: str


class JobDocumentsScopes(TypedDict):
    key: str
    name: str


class Workflow(TypedDict):
    id: str
    name: str
    created_at: str
    updated_at: str | None
    status: Literal["active", "inactive"]
    sources: list[str]
    destinations: list[str]
    workflow_type: Literal["basic", "advanced", "platinum", "custom"]
    workflow_nodes: list[WorkflowNode]
    schedule: WorkflowSchedule
    # The time zone of the schedule
    schedule_timezone: str
    # When the schedule starts it next; null without one
    next_run_at: str | None
    reprocess_all: bool
    swap_index: bool
    # `every N minutes` or `off`
    permissions_schedule: str
    # Search hides spaces whose permissions are older; null for no limit
    max_permission_age_hours: float | None
    # The index hides spaces whose permissions are older; null for never
    hide_in_index_after_hours: float | None
    key: str | None
    # Settings that are allowed, but probably a mistake
    warnings: list[WorkflowWarnings]


class WorkflowSchedule(TypedDict):
    crontab_entries: list[WorkflowScheduleCrontabEntries]


class WorkflowScheduleCrontabEntries(TypedDict):
    cron_expression: str


class WorkflowWarnings(TypedDict):
    code: str
    message: str
    # What the warning is about
    subject: WorkflowWarningsSubject | None


class WorkflowWarningsSubject(TypedDict):
    kind: Literal["workflow", "source", "destination", "job", "document", "setting", "documents"]
    # For `setting` the source or workflow, for `documents` the job
    id: str
    # The setting, or the code of the warning or error that the documents have
    field: str | None
