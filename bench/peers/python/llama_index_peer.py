"""LlamaIndex: ConfluenceReader, a sentence splitter and the bulk helper."""

import harness
from llama_index.core.node_parser import SentenceSplitter
from llama_index.readers.confluence import ConfluenceReader


def run(job):
    reader = ConfluenceReader(
        base_url=job["wiki_url"], user_name=job["wiki_user"], password=job["wiki_token"], cloud=True
    )
    # By a query: the listing by space uses an address that the Cloud has removed.
    pages = reader.load_data(cql="type = page", max_num_results=None)
    # It counts tokens; 256 of them are about 1,000 characters.
    splitter = SentenceSplitter(chunk_size=job["chunk_size"] // 4, chunk_overlap=0, include_metadata=False)
    harness.write_elements(job, elements(pages, splitter))


def elements(pages, splitter):
    for page in pages:
        for part in splitter.get_nodes_from_documents([page]):
            yield {"record_id": page.doc_id, "text": part.text, "metadata": part.metadata}


if __name__ == "__main__":
    harness.serve(run)
