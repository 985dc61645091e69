"""unstructured-ingest: the whole pipeline with its Confluence source and Elasticsearch destination."""

import logging
import multiprocessing
import os
import tempfile

import harness
import spacy
import unstructured.nlp.tokenize as tokenize
import unstructured.partition.auto  # noqa: F401
from unstructured_ingest.interfaces import ProcessorConfig
from unstructured_ingest.pipeline.pipeline import Pipeline
from unstructured_ingest.processes.chunker import ChunkerConfig
from unstructured_ingest.processes.connectors.confluence import (
    ConfluenceAccessConfig,
    ConfluenceConnectionConfig,
    ConfluenceDownloaderConfig,
    ConfluenceIndexerConfig,
)
from unstructured_ingest.processes.connectors.elasticsearch.elasticsearch import (
    ElasticsearchAccessConfig,
    ElasticsearchConnectionConfig,
    ElasticsearchUploaderConfig,
    ElasticsearchUploadStagerConfig,
)
from unstructured_ingest.processes.partitioner import PartitionerConfig

# Its language model is downloaded from outside the registries. A blank one is faster, which favours the library.
blank = spacy.blank("en")
blank.add_pipe("sentencizer")
tokenize._get_nlp = lambda: blank


def run(job):
    logging.getLogger("unstructured_ingest").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        pipeline(job, folder).run()


def pipeline(job, folder):
    access = ConfluenceAccessConfig(api_token=job["wiki_token"])
    engine_access = ElasticsearchAccessConfig(password=job["engine_password"])
    return Pipeline.from_configs(
        context=ProcessorConfig(work_dir=os.path.join(folder, "work"), num_processes=2, raise_on_error=True),
        source_connection_config=ConfluenceConnectionConfig(
            url=job["wiki_url"], username=job["wiki_user"], cloud=True, access_config=access
        ),
        # Its default is 100 pages of each space.
        indexer_config=ConfluenceIndexerConfig(max_num_of_docs_from_each_space=1_000_000),
        downloader_config=ConfluenceDownloaderConfig(download_dir=os.path.join(folder, "download")),
        partitioner_config=PartitionerConfig(strategy="fast"),
        chunker_config=ChunkerConfig(
            chunking_strategy="by_title",
            chunk_max_characters=job["chunk_size"],
            chunk_new_after_n_chars=job["chunk_soft_size"],
            chunk_combine_text_under_n_chars=job["chunk_combine_under"],
            chunk_multipage_sections=False,
            chunk_include_orig_elements=False,
        ),
        destination_connection_config=ElasticsearchConnectionConfig(
            hosts=[job["engine_url"]], username=job["engine_user"], access_config=engine_access
        ),
        stager_config=ElasticsearchUploadStagerConfig(index_name=job["index"]),
        uploader_config=ElasticsearchUploaderConfig(index_name=job["index"]),
    )


if __name__ == "__main__":
    # Its workers inherit the blank model.
    multiprocessing.set_start_method("fork")
    harness.serve(run)
