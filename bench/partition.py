"""Partitions pages from standard input (JSON lines) with the Python library; prints one JSON object."""

import json
import os
import sys
import time

os.environ["SCARF_NO_ANALYTICS"] = os.environ["DO_NOT_TRACK"] = "true"
os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"

import importlib.util  # noqa: E402

import spacy  # noqa: E402
import unstructured.nlp.tokenize as tokenize  # noqa: E402
from unstructured.__version__ import __version__  # noqa: E402
from unstructured.chunking.title import chunk_by_title  # noqa: E402
from unstructured.partition.html import partition_html  # noqa: E402

# Without its language model the library would download one. A blank model finds no verbs and is faster, which
# favours the library.
has_model = importlib.util.find_spec("en_core_web_sm") is not None
if not has_model:
    blank = spacy.blank("en")
    blank.add_pipe("sentencizer")
    tokenize._get_nlp = lambda: blank

pages = [json.loads(line) for line in sys.stdin]


def work(page):
    elements = partition_html(text=page["html"], metadata_filename=page["filename"])
    chunks = chunk_by_title(elements, max_characters=1000, new_after_n_chars=800, combine_text_under_n_chars=300)
    return elements, chunks


for page in pages[:20]:
    work(page)
made = []
chunks = 0
started = time.process_time()
for page in pages:
    elements, parts = work(page)
    chunks += len(parts)
    made.append(elements)
seconds = time.process_time() - started

json.dump(
    {
        "version": __version__,
        "has_model": has_model,
        "seconds": seconds,
        "chunks": chunks,
        "pages": [[[e.category, e.text, e.id] for e in elements] for elements in made],
    },
    sys.stdout,
)
