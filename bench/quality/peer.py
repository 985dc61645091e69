"""What a Python library makes of files: {"paths", "rounds"} on standard input, one JSON object on standard output.

With rounds above 0 each file is read that often again and the seconds of each reading are told. Models that are not
there are not fetched: whoever starts this takes the network away.
"""

import json
import os
import sys
import time

os.environ["SCARF_NO_ANALYTICS"] = os.environ["DO_NOT_TRACK"] = "true"
os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"


def unstructured():
    import importlib.util

    import spacy
    import unstructured.nlp.tokenize as tokenize
    from unstructured.__version__ import __version__
    from unstructured.partition.auto import partition

    note = None
    # Without its language model the library would fetch one; a blank one tells no verbs, and so no narrative text.
    if importlib.util.find_spec("en_core_web_sm") is None:
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        tokenize._get_nlp = lambda: blank
        note = "with a blank language model in place of en_core_web_sm, which could not be had"

    def read(path):
        # The other strategies need models or Tesseract.
        made = partition(filename=path, strategy="fast")
        return [[e.category, e.text, e.metadata.category_depth, e.metadata.text_as_html] for e in made]

    return __version__, note, read


def docling():
    from importlib.metadata import version

    from docling.document_converter import DocumentConverter

    converter = DocumentConverter()
    titles = {"title": 0, "section_header": 1}

    def element(document, item):
        label = str(getattr(item.label, "value", item.label))
        if label == "table":
            return ["Table", " ".join(cell.text for cell in item.data.table_cells), None, item.export_to_html(document)]
        if label in titles:
            return ["Title", item.text, getattr(item, "level", 0), None]
        if label == "picture":
            return ["Image", "", None, None]
        return ["ListItem" if label == "list_item" else "NarrativeText", getattr(item, "text", ""), None, None]

    def read(path):
        document = converter.convert(path).document
        return [element(document, item) for item, _ in document.iterate_items() if hasattr(item, "label")]

    return version("docling"), None, read


def main():
    # Whatever a library prints is no answer.
    answer, sys.stdout = sys.stdout, sys.stderr
    version, note, read = {"unstructured": unstructured, "docling": docling}[sys.argv[1]]()
    order = json.load(sys.stdin)
    documents, seconds = [], []
    for path in order["paths"]:
        try:
            documents.append({"made": read(path)})
        except Exception as error:  # noqa: BLE001
            documents.append({"failed": f"{type(error).__name__}: {error}".splitlines()[0][:160]})
            seconds.append([])
            continue
        times = []
        for _ in range(order["rounds"]):
            started = time.perf_counter()
            read(path)
            times.append(time.perf_counter() - started)
        seconds.append(times)
    json.dump({"version": version, "note": note, "documents": documents, "seconds": seconds}, answer)


main()
