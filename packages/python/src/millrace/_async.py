"""The client for asyncio. `npm run openapi` writes _sync.py from this file."""

from __future__ import annotations

from asyncio import sleep
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from time import monotonic
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from ._session import (
    AsyncPersonToken,
    Retry,
    checked_key,
    checked_url,
    content_of,
    fill,
    headers_of,
    query_of,
    read_async_token,
)
from .errors import JobTimeoutError, MillraceError, PersonRequiredError, UnreachableError
from .options import (
    ElementOptions,
    JobDocumentFilters,
    JobFilters,
    ReadOptions,
    SearchAllOptions,
    SearchOptions,
    WorkflowFilters,
    read_query,
    sent,
)
from .types import (
    DocumentElement,
    FailedFiles,
    Job,
    JobDetails,
    JobDocument,
    JobDocuments,
    ReadDocument,
    SearchHit,
    SearchResults,
    Workflow,
)

_PAGE_SIZE = 100


class AsyncMillrace:
    """A client of one workspace.

    A `personal_token` names its person. A `key` names one together with `person_token`: a current
    token of the identity provider, or a function that returns one.
    """

    def __init__(
        self,
        url: str,
        *,
        personal_token: str | None = None,
        key: str | None = None,
        person_token: AsyncPersonToken | None = None,
        timeout: float | httpx.Timeout = 60.0,
        retry: Retry = Retry(),
        http_client: httpx.AsyncClient | None = None,
    ) -> None:
        self._url = checked_url(url)
        self._key = checked_key(personal_token, key, person_token)
        self._person_token = person_token
        self._timeout = timeout
        self._retry = retry
        self._http = http_client or httpx.AsyncClient()
        self._owns_http = http_client is None
        self.names_person = bool(personal_token) or person_token is not None
        self.documents = AsyncDocuments(self)
        self.workflows = AsyncWorkflows(self)
        self.jobs = AsyncJobs(self)

    def with_person_token(self, person_token: AsyncPersonToken) -> AsyncMillrace:
        """A client for another person, with the same key and connections."""
        if self.names_person and self._person_token is None:
            raise ValueError("a personal token searches as its own person; use a search key")
        return AsyncMillrace(
            self._url,
            key=self._key,
            person_token=person_token,
            timeout=self._timeout,
            retry=self._retry,
            http_client=self._http,
        )

    async def search(
        self, destination_id: str, query: str, **options: Unpack[SearchOptions]
    ) -> SearchResults:
        """Searches as the person of the token, or as the one in `as_`."""
        self._require_person(options, "search")
        path = fill("/api/v1/destinations/{id}/search", id=destination_id)
        found: SearchResults = await self.request(
            "POST", path, json={"query": query, **sent(options)}, is_safe=True
        )
        return found

    async def search_all(
        self, destination_id: str, query: str, **options: Unpack[SearchAllOptions]
    ) -> AsyncIterator[SearchHit]:
        """The hits of all pages, up to 1,000; each page is searched when it is needed."""
        page = await self.search(destination_id, query, **options)
        while True:
            for hit in page["hits"]:
                yield hit
            after = page["next"]
            if after is None:
                return
            page = await self.search(destination_id, query, search_after=after, **options)

    async def wait_for_job(
        self,
        job_id: str,
        *,
        timeout: float | None = None,
        poll_seconds: float = 2.0,
        on_progress: Callable[[Job], object] | None = None,
    ) -> Job:
        """Returns the job when it has ended, with any result. `timeout` is in seconds."""
        return await self.jobs.wait(
            job_id, timeout=timeout, poll_seconds=poll_seconds, on_progress=on_progress
        )

    async def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, Any] | None = None,
        json: Any = None,
        files: Any = None,
        is_safe: bool | None = None,
    ) -> Any:
        """Calls any operation of the API. Safe ones, by default GET, are retried."""
        may_repeat = is_safe if is_safe is not None else method == "GET"
        count = 0
        while True:
            try:
                return await self._attempt(method, path, params=query_of(params), json=json, files=files)
            except MillraceError as error:
                delay = self._retry.delay_of(count, error) if may_repeat else None
                if delay is None:
                    raise
            await sleep(delay)
            count += 1

    async def _attempt(self, method: str, path: str, **content: Any) -> Any:
        request = f"{method} {path}"
        headers = headers_of(self._key, await read_async_token(self._person_token))
        try:
            response = await self._http.request(
                method,
                self._url + path,
                headers=headers,
                timeout=self._timeout,
                # Another host would get the tokens.
                follow_redirects=False,
                **content,
            )
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
            raise UnreachableError(f"{request}: no response from {self._url} ({reason})") from error
        return content_of(request, response)

    def _require_person(self, options: Mapping[str, Any], what: str) -> None:
        if not self.names_person and not options.get("as_"):
            raise PersonRequiredError(f"this {what} has no person")

    async def aclose(self) -> None:
        """Closes the connections, except those of a client that was passed in."""
        if self._owns_http:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class AsyncDocuments:
    """Documents of a destination, read as a person."""

    def __init__(self, client: AsyncMillrace) -> None:
        self._client = client

    async def get(
        self, destination_id: str, record_id: str, **options: Unpack[ReadOptions]
    ) -> ReadDocument:
        """One page of elements. A document that the person may not read is a NotFoundError."""
        self._client._require_person(options, "reading")
        path = fill(
            "/api/v1/destinations/{id}/documents/{record_id}", id=destination_id, record_id=record_id
        )
        document: ReadDocument = await self._client.request("GET", path, params=read_query(options))
        return document

    async def elements(
        self, destination_id: str, record_id: str, **options: Unpack[ElementOptions]
    ) -> AsyncIterator[DocumentElement]:
        """All elements in reading order, page by page."""
        page = await self.get(destination_id, record_id, **options)
        while True:
            for element in page["elements"]:
                yield element
            cursor = page["next"]
            if cursor is None:
                return
            page = await self.get(destination_id, record_id, cursor=cursor, **options)


class AsyncWorkflows:
    """Workflows: a source, a pipeline and a destination."""

    def __init__(self, client: AsyncMillrace) -> None:
        self._client = client

    async def list(self, **filters: Unpack[WorkflowFilters]) -> AsyncIterator[Workflow]:
        """All pages, one after the other."""
        number = 1
        while True:
            params = {**filters, "page": number, "page_size": _PAGE_SIZE}
            page: Sequence[Workflow] = await self._client.request("GET", "/api/v1/workflows", params=params)
            for workflow in page:
                yield workflow
            if len(page) < _PAGE_SIZE:
                return
            number += 1

    async def get(self, workflow_id: str) -> Workflow:
        workflow: Workflow = await self._client.request(
            "GET", fill("/api/v1/workflows/{id}", id=workflow_id)
        )
        return workflow

    async def run(self, workflow_id: str, files: Mapping[str, bytes] | None = None) -> Job:
        """Starts a job. `files` by name, only for a workflow without source and destination."""
        path = fill("/api/v1/workflows/{id}/run", id=workflow_id)
        parts = [("input_files", (name, content)) for name, content in (files or {}).items()]
        job: Job = await self._client.request("POST", path, files=parts or None)
        return job


class AsyncJobs:
    """Jobs: runs of workflows."""

    def __init__(self, client: AsyncMillrace) -> None:
        self._client = client

    async def list(self, **filters: Unpack[JobFilters]) -> Sequence[Job]:
        """The newest jobs, up to `limit` (1,000)."""
        jobs: Sequence[Job] = await self._client.request("GET", "/api/v1/jobs", params=filters)
        return jobs

    async def get(self, job_id: str) -> Job:
        job: Job = await self._client.request("GET", fill("/api/v1/jobs/{id}", id=job_id))
        return job

    async def details(self, job_id: str) -> JobDetails:
        path = fill("/api/v1/jobs/{id}/details", id=job_id)
        details: JobDetails = await self._client.request("GET", path)
        return details

    async def documents(
        self, job_id: str, **filters: Unpack[JobDocumentFilters]
    ) -> AsyncIterator[JobDocument]:
        """All pages, one after the other. Unchanged documents are not listed."""
        path = fill("/api/v1/jobs/{id}/documents", id=job_id)
        cursor: str | None = None
        while True:
            page: JobDocuments = await self._client.request(
                "GET", path, params={**filters, "cursor": cursor}
            )
            for document in page["items"]:
                yield document
            cursor = page["next"]
            if cursor is None:
                return

    async def failed_files(self, job_id: str) -> FailedFiles:
        path = fill("/api/v1/jobs/{id}/failed-files", id=job_id)
        failed: FailedFiles = await self._client.request("GET", path)
        return failed

    async def cancel(self, job_id: str) -> None:
        await self._client.request("POST", fill("/api/v1/jobs/{id}/cancel", id=job_id))

    async def retry(self, job_id: str) -> Job:
        """Starts a job for the documents that failed."""
        job: Job = await self._client.request("POST", fill("/api/v1/jobs/{id}/retry", id=job_id))
        return job

    async def approve_deletions(self, job_id: str) -> int:
        """Approves removals that were held back, and returns their number."""
        path = fill("/api/v1/jobs/{id}/approve-deletions", id=job_id)
        removed: int = (await self._client.request("POST", path))["removed"]
        return removed

    async def wait(
        self,
        job_id: str,
        *,
        timeout: float | None = None,
        poll_seconds: float = 2.0,
        on_progress: Callable[[Job], object] | None = None,
    ) -> Job:
        """Returns the job when it has ended, with any result. `timeout` is in seconds."""
        end = None if timeout is None else monotonic() + timeout
        while True:
            job = await self.get(job_id)
            if job["status"] not in ("SCHEDULED", "IN_PROGRESS"):
                return job
            if on_progress:
                on_progress(job)
            left = poll_seconds if end is None else end - monotonic()
            if left <= 0:
                raise JobTimeoutError(f"job {job_id} has not ended after {timeout} s", job)
            await sleep(min(poll_seconds, left))
