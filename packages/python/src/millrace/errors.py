"""What can fail. Every message says what failed and what to do."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from .types import Job


class InvalidField(TypedDict):
    """`loc` is the path of the field, such as `["body", "filters", "space"]`."""

    loc: list[str | int]
    msg: str
    type: str


class MillraceError(Exception):
    """A request that failed. `status` is 0 if no response arrived, `code` one of docs/errors.md."""

    advice = "If this keeps happening, tell the operator of the service."

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        fields: list[InvalidField] | None = None,
        retry_after: float | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(f"{message.rstrip('.')}. {self.advice}")
        self.status = status
        self.code = code
        self.fields = fields or []
        self.retry_after = retry_after
        self.body = body


class PersonRequiredError(MillraceError):
    """The request needs a person, and the client has none. Nothing was sent."""

    advice = (
        "Pass the personal token of the person as `personal_token`, "
        "or a key as `key` with the person's current token as `person_token`."
    )


class UnreachableError(MillraceError):
    """No response arrived."""

    advice = "Check the address and the network, or allow more time with `timeout`."


class AuthenticationError(MillraceError):
    """401: the key or token is missing, wrong, revoked or expired."""

    advice = "Create a new key or personal token, or get a new token from the identity provider."


class ForbiddenError(MillraceError):
    """403: the key, token or role does not allow this."""

    advice = "Use a key that allows it; docs/keys.md lists what each kind of key can do."


class NotFoundError(MillraceError):
    """404: it does not exist, or the person may not read it."""

    advice = "Check the id, the workspace of the key, and whether the person may read it."


class ConflictError(MillraceError):
    """409: the state of the object does not allow this."""

    advice = "Change what the message names, then try again."


class InvalidRequestError(MillraceError):
    """422: `fields` names what is invalid."""

    advice = "Correct the fields that the message names."


class RateLimitError(MillraceError):
    """429: `retry_after` says how many seconds to wait."""

    advice = "Wait as long as `retry_after` says, and send fewer requests."


class ServiceError(MillraceError):
    """5xx: the service, or a system that it needs, failed."""

    advice = "Try again later; docs/errors.md says what the code means."


class JobTimeoutError(MillraceError, TimeoutError):
    """The job has not ended in time; it continues. `job` is its last state."""

    advice = "Wait longer, or cancel it with `jobs.cancel`."

    def __init__(self, message: str, job: Job) -> None:
        super().__init__(message)
        self.job = job


_BY_STATUS: dict[int, type[MillraceError]] = {
    401: AuthenticationError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    422: InvalidRequestError,
    429: RateLimitError,
}


def error_of(request: str, status: int, body: Any, retry_after: float | None) -> MillraceError:
    """The error that a response means."""
    content = body if isinstance(body, dict) else {}
    detail, code = content.get("detail"), content.get("code")
    fields: list[InvalidField] = detail if isinstance(detail, list) else []
    if fields:
        reason = "; ".join(f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in fields)
    else:
        reason = detail if isinstance(detail, str) and detail else f"the service answered {status}"
    kind = _BY_STATUS.get(status, ServiceError if status >= 500 else MillraceError)
    return kind(
        f"{request}: {reason}",
        status=status,
        code=code if isinstance(code, str) else "invalid_request" if fields else "",
        fields=fields,
        retry_after=retry_after,
        body=body,
    )
