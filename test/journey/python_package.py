"""The package of packages/python, as two people and as callers without a person.

Usage: python_package.py SETTINGS, a JSON object. Prints one JSON object with what it saw. mypy checks this file too.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import httpx
from langchain_core.documents import Document
from llama_index.core.schema import NodeWithScore
from millrace import (
    AsyncMillrace,
    AuthenticationError,
    ForbiddenError,
    InvalidRequestError,
    JobTimeoutError,
    Millrace,
    MillraceError,
    NotFoundError,
    PersonRequiredError,
    Retry,
    ServiceError,
    UnreachableError,
)
from millrace import langchain, llama_index
from millrace.options import RetrievalOptions

settings: dict[str, str] = json.loads(sys.argv[1])
url, destination, query = settings["url"], settings["destination"], settings["query"]
busy = settings["busy"]
no_retry = Retry(retries=0)
seen: dict[str, Any] = {}


def failure(work: Callable[[], object], kind: type[MillraceError]) -> MillraceError:
    try:
        work()
    except kind as error:
        assert type(error) is kind, error
        assert error.advice in str(error)
        for name, secret in settings.items():
            assert "token" not in name or secret not in str(error), name
        return error
    raise AssertionError(f"no {kind.__name__}")


def titles(found: list[Document] | list[NodeWithScore]) -> list[str]:
    return sorted({str(each.metadata["title"]) for each in found})


def credentials() -> tuple[Millrace, Millrace]:
    """Priya has a personal token, Lena a token of the identity provider in an application."""
    application = Millrace(url, key=settings["search_key"])
    return Millrace(url, personal_token=settings["priya_token"]), application.with_person_token(
        lambda: settings["lena_token"]
    )


def search_and_read() -> None:
    for name, millrace in zip(("priya", "lena"), credentials()):
        options: RetrievalOptions = {"size": 50}
        for_langchain = langchain.MillraceRetriever(client=millrace, destination_id=destination, options=options)
        assert "_token" not in repr(for_langchain)
        documents = for_langchain.invoke(query)
        for_llama_index = llama_index.MillraceRetriever(millrace, destination, options)
        nodes = for_llama_index.retrieve(query)
        hits = millrace.search(destination, query, size=50)["hits"]
        assert [each.id for each in documents] == [each["element_id"] for each in hits]
        assert [each.node.node_id for each in nodes] == [each["element_id"] for each in hits]
        assert [each.score for each in nodes] == [each["score"] for each in hits]
        assert titles(documents) == titles(nodes)
        paged = list(millrace.search_all(destination, query, size=20))
        assert {each["element_id"] for each in hits} <= {each["element_id"] for each in paged}
        seen[name] = titles(documents)

    priya, lena = credentials()
    grouped = langchain.MillraceRetriever(
        client=priya, destination_id=destination, options={"size": 1, "group_by": "document", "neighbours": 1}
    ).invoke(query)[0]
    whole = priya.documents.get(destination, grouped.metadata["record_id"])
    elements = list(priya.documents.elements(destination, whole["record_id"], limit=1))
    assert elements == whole["elements"] and len(elements) > 1
    assert grouped.metadata["url"] == whole["url"]
    seen["read"] = whole["title"]
    # The same answer for an unknown document and one that the person may not read.
    for record_id in (settings["secret_record"], "http://unknown.example/a b?c#d"):
        failure(lambda: lena.documents.get(destination, record_id), NotFoundError)
    secret = priya.documents.get(destination, settings["secret_record"])
    assert secret["title"] == settings["secret_title"]
    seen["prompt"] = nodes[0].node.get_content().count("record_id")


def without_person() -> None:
    for key in (settings["search_key"], settings["full_key"]):
        millrace = Millrace(url, key=key)
        asynchronous = AsyncMillrace(url, key=key)
        for client in (millrace, asynchronous):
            failure(
                lambda: langchain.MillraceRetriever(client=client, destination_id=destination), PersonRequiredError
            )
            failure(lambda: llama_index.MillraceRetriever(client, destination), PersonRequiredError)
        failure(lambda: millrace.search(destination, query), PersonRequiredError)
        failure(lambda: millrace.documents.get(destination, settings["secret_record"]), PersonRequiredError)
        failure(lambda: millrace.with_person_token(""), PersonRequiredError)
        failure(lambda: millrace.with_person_token(lambda: "").search(destination, query), PersonRequiredError)
        # A key does not become a person by another name.
        posing = Millrace(url, personal_token=key)
        refused = failure(
            lambda: langchain.MillraceRetriever(client=posing, destination_id=destination).invoke(query),
            InvalidRequestError,
        )
        assert refused.fields and refused.code == "invalid_request"
    named = Millrace(url, key=settings["full_key"]).search(destination, query, as_={"user": settings["lena"]}, size=50)
    assert sorted({str(each["title"]) for each in named["hits"]}) == seen["lena"]
    failure(
        lambda: Millrace(url, key=settings["search_key"]).search(destination, query, as_={"user": "x"}), ForbiddenError
    )
    impossible: list[dict[str, Any]] = [
        {},
        {"key": "a", "personal_token": "b"},
        {"personal_token": "a", "person_token": "b"},
    ]
    for wrong in impossible:
        try:
            Millrace(url, **wrong)
        except ValueError:
            continue
        raise AssertionError(wrong)


def with_expired_tokens() -> None:
    expired = [
        Millrace(url, personal_token=settings["expired_personal_token"]),
        Millrace(url, key=settings["search_key"], person_token=settings["expired_person_token"]),
    ]
    codes = []
    for millrace in expired:
        retriever = langchain.MillraceRetriever(client=millrace, destination_id=destination)
        codes.append(failure(lambda: retriever.invoke(query), AuthenticationError).code)
        nodes = llama_index.MillraceRetriever(millrace, destination)
        failure(lambda: nodes.retrieve(query), AuthenticationError)
    seen["expired"] = codes


def run_and_wait() -> None:
    with Millrace(url, key=settings["full_key"]) as millrace:
        (workflow,) = millrace.workflows.list(name="Sample")
        assert millrace.workflows.get(workflow["id"]) == workflow
        started = millrace.workflows.run(workflow["id"])
        progress: list[float] = []
        job = millrace.wait_for_job(
            started["id"], timeout=60, poll_seconds=0.2, on_progress=lambda job: progress.append(job["found"])
        )
        details = millrace.jobs.details(job["id"])
        assert job["id"] in [each["id"] for each in millrace.jobs.list(workflow_id=workflow["id"])]
        seen["job"] = [job["status"], details["summary"]["total_docs_failed"]]
        first = settings["first_job"]
        documents = list(millrace.jobs.documents(first, state="new", limit=20))
        assert len(documents) > 20 and len({each["record_id"] for each in documents}) == len(documents)
        assert millrace.jobs.failed_files(first)["failed_files"] == []
        failure(lambda: millrace.jobs.get("none"), NotFoundError)
    failure(lambda: Millrace(url, key=settings["search_key"]).jobs.list(), ForbiddenError)


def retry_and_time_out() -> None:
    millrace = Millrace(busy, personal_token="t", retry=Retry(first_delay=0.01))
    started = time.monotonic()
    assert millrace.search("d", "busy")["hits"] == []
    assert time.monotonic() - started >= 1, "Retry-After"
    final = failure(lambda: millrace.jobs.get("final"), ServiceError)
    assert (final.status, final.code) == (503, "source_unreachable")
    failure(lambda: millrace.workflows.run("busy"), ServiceError)
    failure(lambda: millrace.jobs.get("moved"), MillraceError)
    failure(lambda: millrace.jobs.get("proxy"), MillraceError)
    started = time.monotonic()
    waited = failure(lambda: millrace.wait_for_job("running", timeout=0.3, poll_seconds=0.2), JobTimeoutError)
    assert 0.3 <= time.monotonic() - started < 2
    assert isinstance(waited, TimeoutError) and "job running has not ended after 0.3 s" in str(waited)
    assert isinstance(waited, JobTimeoutError) and waited.job["status"] == "IN_PROGRESS"
    hasty = Millrace(busy, personal_token="t", retry=no_retry, timeout=0.3)
    seen["unreachable"] = failure(lambda: hasty.jobs.get("silent"), UnreachableError).status


async def asynchronously() -> None:
    async with httpx.AsyncClient() as connections:

        async def current() -> str:
            return settings["lena_token"]

        millrace = AsyncMillrace(url, key=settings["search_key"], http_client=connections).with_person_token(current)
        for client in (millrace, credentials()[1]):
            documents = await langchain.MillraceRetriever(
                client=client, destination_id=destination, options={"size": 50}
            ).ainvoke(query)
            nodes = await llama_index.MillraceRetriever(client, destination, {"size": 50}).aretrieve(query)
            assert titles(documents) == titles(nodes) == seen["lena"]
        try:
            langchain.MillraceRetriever(client=millrace, destination_id=destination).invoke(query)
        except TypeError as error:
            assert "async" in str(error)
        else:
            raise AssertionError("an AsyncMillrace answered a sync call")
        hits = [hit async for hit in millrace.search_all(destination, query, size=20)]
        assert {str(hit["title"]) for hit in hits} >= set(seen["lena"])
        elements = [each async for each in millrace.documents.elements(destination, hits[0]["record_id"])]
        assert elements
        async with AsyncMillrace(url, key=settings["full_key"]) as program:
            assert (await program.wait_for_job(settings["first_job"]))["status"] == "COMPLETED"


search_and_read()
without_person()
with_expired_tokens()
run_and_wait()
retry_and_time_out()
asyncio.run(asynchronously())
print(json.dumps(seen))

if TYPE_CHECKING:
    typed = Millrace(url, key="k")
    typed.search(destination, query, size="5")  # type: ignore[arg-type]
    typed.search(destination, query, sise=5)  # type: ignore[call-arg]
    typed.search(destination, query, filters={"space": "ENG"})  # type: ignore[typeddict-unknown-key]
    typed.jobs.get(1)  # type: ignore[arg-type]
    typed.jobs.get("1")["state"]  # type: ignore[typeddict-item]
