"""What both clients share: credentials, retries, addresses and responses."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from inspect import isawaitable
from typing import Any
from urllib.parse import quote

import httpx

from .errors import MillraceError, PersonRequiredError, UnreachableError, error_of

PersonToken = str | Callable[[], str]
AsyncPersonToken = str | Callable[[], str | Awaitable[str]]

_RETRIED = {429, 502, 503, 504}


@dataclass(frozen=True)
class Retry:
    """GET requests and searches are repeated; `retries` of 0 turns this off. All times are in seconds."""

    retries: int = 4
    first_delay: float = 0.5
    max_delay: float = 30.0
    # A response with a longer `Retry-After` is not retried.
    max_retry_after: float = 120.0

    def delay_of(self, count: int, error: MillraceError) -> float | None:
        """Seconds until the next attempt, or None if there is none. Jitter keeps clients apart."""
        # A source or destination that failed stays failed; the service then says so.
        is_final = isinstance(error.body, dict) and error.body.get("retryable") is False
        is_transient = error.status in _RETRIED or isinstance(error, UnreachableError)
        wait = error.retry_after or 0.0
        if count >= self.retries or is_final or not is_transient or wait > self.max_retry_after:
            return None
        backoff: float = min(self.max_delay, self.first_delay * 2**count) * random.uniform(0.5, 1.0)
        return max(backoff, wait)


def checked_key(personal_token: str | None, key: str | None, person_token: object) -> str:
    """The bearer token, if the credentials fit together."""
    if bool(personal_token) == bool(key):
        raise ValueError("pass either `personal_token` or `key`")
    if personal_token and person_token is not None:
        raise ValueError("a personal token names its person; pass `person_token` only with `key`")
    if person_token == "":
        raise PersonRequiredError("the person token is empty")
    return personal_token or key or ""


def read_token(token: PersonToken | None) -> str | None:
    return None if token is None else _not_empty(token() if callable(token) else token)


async def read_async_token(token: AsyncPersonToken | None) -> str | None:
    if token is None:
        return None
    value = token() if callable(token) else token
    return _not_empty(await value if isawaitable(value) else value)


def _not_empty(token: str) -> str:
    """Without this, a key would be sent alone."""
    if not token:
        raise PersonRequiredError("the person token is empty")
    return token


def checked_url(url: str) -> str:
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"{url!r} is not the address of a service, such as https://millrace.example.com")
    return url.rstrip("/")


def fill(template: str, **values: str) -> str:
    """A path with its ids. An empty id would address the collection, and dots another route."""
    for name, value in values.items():
        if value in ("", ".", ".."):
            raise ValueError(f"{template} needs {name}")
    return template.format(**{name: quote(value, safe="") for name, value in values.items()})


def headers_of(key: str, person_token: str | None) -> dict[str, str]:
    person = {} if person_token is None else {"x-person-token": person_token}
    return {"accept": "application/json", "authorization": f"Bearer {key}", **person}


def query_of(params: Mapping[str, Any] | None) -> dict[str, Any]:
    return {name: value for name, value in (params or {}).items() if value is not None}


def content_of(request: str, response: httpx.Response) -> Any:
    """The parsed body of a successful response. The page of a proxy must not pass for a result."""
    body = _parsed(response)
    if not response.is_success:
        raise error_of(request, response.status_code, body, retry_after_of(response.headers.get("retry-after")))
    kind = response.headers.get("content-type", "")
    if body is None and response.content and ("json" in kind or "html" in kind):
        detail = "the response is not JSON; does the address belong to Millrace?"
        raise error_of(request, response.status_code, {"detail": detail}, None)
    return response.text if body is None and response.content else body


def _parsed(response: httpx.Response) -> Any:
    if "json" not in response.headers.get("content-type", ""):
        return None
    try:
        return response.json()
    except ValueError:
        return None


def retry_after_of(header: str | None) -> float | None:
    """Seconds of a `Retry-After` header, which is a number or a date."""
    if not header:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        at = parsedate_to_datetime(header)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=timezone.utc)
    return max(0.0, (at - datetime.now(timezone.utc)).total_seconds())
