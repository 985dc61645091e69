"""A retriever for LlamaIndex, with the extra `llamaindex`."""

from __future__ import annotations

from asyncio import to_thread

from llama_index.core.callbacks import CallbackManager
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from ._async import AsyncMillrace
from ._hits import metadata_of, require_person, synchronous, text_of
from ._sync import Millrace
from .options import RetrievalOptions
from .types import SearchHit

# A model reads the title; the rest is for citations.
_FOR_MODEL = ("title",)


class MillraceRetriever(BaseRetriever):
    """Searches one destination as the person of the client; a client without a person is refused."""

    def __init__(
        self,
        client: Millrace | AsyncMillrace,
        destination_id: str,
        options: RetrievalOptions | None = None,
        callback_manager: CallbackManager | None = None,
    ) -> None:
        require_person(client)
        self._client = client
        self._destination_id = destination_id
        self._options: RetrievalOptions = options or {}
        super().__init__(callback_manager)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        client = synchronous(self._client)
        found = client.search(self._destination_id, query_bundle.query_str, **self._options)
        return [_node(hit) for hit in found["hits"]]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        if not isinstance(self._client, AsyncMillrace):
            return await to_thread(self._retrieve, query_bundle)
        found = await self._client.search(self._destination_id, query_bundle.query_str, **self._options)
        return [_node(hit) for hit in found["hits"]]


def _node(hit: SearchHit) -> NodeWithScore:
    metadata = metadata_of(hit)
    excluded = [name for name in metadata if name not in _FOR_MODEL]
    node = TextNode(
        id_=hit["element_id"],
        text=text_of(hit),
        metadata=metadata,
        excluded_llm_metadata_keys=excluded,
        excluded_embed_metadata_keys=excluded,
    )
    return NodeWithScore(node=node, score=hit["score"])
