"""LangChain: ConfluenceLoader, a text splitter and the bulk helper."""

import harness
from langchain_community.document_loaders import ConfluenceLoader
from langchain_community.document_loaders.confluence import ContentFormat
from langchain_text_splitters import RecursiveCharacterTextSplitter


def run(job):
    # By a query: the listing by space uses an address that the Cloud has removed.
    loader = ConfluenceLoader(
        url=job["wiki_url"],
        username=job["wiki_user"],
        api_key=job["wiki_token"],
        cloud=True,
        cql="type = page",
        content_format=ContentFormat.VIEW,
        limit=50,
        max_pages=1_000_000,
        include_labels=True,
    )
    splitter = RecursiveCharacterTextSplitter(chunk_size=job["chunk_size"], chunk_overlap=0)
    harness.write_elements(job, elements(loader, splitter))


def elements(loader, splitter):
    for page in loader.lazy_load():
        for part in splitter.split_documents([page]):
            yield {"record_id": page.metadata["id"], "text": part.page_content, "metadata": part.metadata}


if __name__ == "__main__":
    harness.serve(run)
