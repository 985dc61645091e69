"""A client of the Millrace API."""

from ._async import AsyncMillrace
from ._session import Retry
from ._sync import Millrace
from .errors import (
    AuthenticationError,
    ConflictError,
    ForbiddenError,
    InvalidField,
    InvalidRequestError,
    JobTimeoutError,
    MillraceError,
    NotFoundError,
    PersonRequiredError,
    RateLimitError,
    ServiceError,
    UnreachableError,
)

__all__ = [
    "AsyncMillrace",
    "AuthenticationError",
    "ConflictError",
    "ForbiddenError",
    "InvalidField",
    "InvalidRequestError",
    "JobTimeoutError",
    "Millrace",
    "MillraceError",
    "NotFoundError",
    "PersonRequiredError",
    "RateLimitError",
    "Retry",
    "ServiceError",
    "UnreachableError",
]
