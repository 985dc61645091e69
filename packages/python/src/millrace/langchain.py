"""A retriever for LangChain, with the extra `langchain`."""

from __future__ import annotations

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, SkipValidation, model_validator
from typing_extensions import Self

from ._async import AsyncMillrace
from ._hits import metadata_of, require_person, synchronous, text_of
from ._sync import Millrace
from .options import RetrievalOptions
from .types import SearchHit


class MillraceRetriever(BaseRetriever):
    """Searches one destination as the person of the client; a client without a person is refused."""

    client: Millrace | AsyncMillrace
    destination_id: str
    options: SkipValidation[RetrievalOptions] = Field(default_factory=RetrievalOptions)

    @model_validator(mode="after")
    def _person(self) -> Self:
        require_person(self.client)
        return self

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = synchronous(self.client).search(self.destination_id, query, **self.options)
        return [_document(hit) for hit in found["hits"]]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        if not isinstance(self.client, AsyncMillrace):
            return await super()._aget_relevant_documents(query, run_manager=run_manager)
        found = await self.client.search(self.destination_id, query, **self.options)
        return [_document(hit) for hit in found["hits"]]


def _document(hit: SearchHit) -> Document:
    return Document(id=hit["element_id"], page_content=text_of(hit), metadata=metadata_of(hit))
