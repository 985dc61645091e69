"""Reads files with a Python library: {"paths", "rounds"} on standard input, one JSON object on standard output.

With rounds above 0 each file is read that often again and the seconds of each reading are returned. Missing models
are not downloaded: the starting process removes the network.
"""

import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import sys
import time
from unittest.mock import MagicMock

os.environ["SCARF_NO_ANALYTICS"] = os.environ["DO_NOT_TRACK"] = "true"
os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"


# Needed only by models, which reading by text layer and markup does not call.
MODELS = {"accelerate", "cv2", "huggingface_hub", "matplotlib", "onnx", "onnxruntime", "timm", "torch", "transformers"}


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Stands in for packages of gigabytes that a library imports and does not use here."""

    def find_spec(self, name, path=None, target=None):
        missing = name.split(".")[0] in MODELS
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if missing else None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        return module

    def exec_module(self, module):
        pass


def unstructured():
    import spacy
    import unstructured.nlp.tokenize as tokenize
    from unstructured.__version__ import __version__

    sys.meta_path.append(Absent())
    from unstructured.partition.auto import partition

    note = "strategy fast"
    # Without its language model the library would download one; a blank model finds no verbs and no narrative text.
    if importlib.util.find_spec("en_core_web_sm") is None:
        blank = spacy.blank("en")
        blank.add_pipe("sentencizer")
        tokenize._get_nlp = lambda: blank
        note += ", with a blank language model in place of en_core_web_sm, which is not installed"

    def read(path):
        # The other strategies need models or Tesseract.
        made = partition(filename=path, strategy="fast")
        return [[e.category, e.text, e.metadata.category_depth, e.metadata.text_as_html] for e in made]

    return __version__, note, read


def docling():
    from importlib.metadata import version
    from pathlib import Path

    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument
    from docling_core.types.doc.document import ContentLayer

    backends = {
        ".html": ("HTML", "html_backend", "HTMLDocumentBackend"),
        ".docx": ("DOCX", "msword_backend", "MsWordDocumentBackend"),
        ".pptx": ("PPTX", "mspowerpoint_backend", "MsPowerpointDocumentBackend"),
        ".xlsx": ("XLSX", "msexcel_backend", "MsExcelDocumentBackend"),
        ".csv": ("CSV", "csv_backend", "CsvDocumentBackend"),
        ".md": ("MD", "md_backend", "MarkdownDocumentBackend"),
        ".odt": ("ODT", "opendocument_backend", "OdtDocumentBackend"),
        ".ods": ("ODS", "opendocument_backend", "OdsDocumentBackend"),
        ".odp": ("ODP", "opendocument_backend", "OdpDocumentBackend"),
        # These it converts with LibreOffice, as unstructured does with the first two.
        ".doc": ("DOC", "msword_backend", "MsWordDocumentBackend"),
        ".ppt": ("PPT", "mspowerpoint_backend", "MsPowerpointDocumentBackend"),
        ".rtf": ("RTF", "msword_backend", "MsWordDocumentBackend"),
        ".xls": ("XLS", "msexcel_backend", "MsExcelDocumentBackend"),
        ".epub": ("EPUB", "epub_backend", "EpubDocumentBackend"),
    }
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
        path = Path(path)
        if path.suffix not in backends:
            raise ValueError("its reader needs models or is not among those measured")
        name, module, backend = backends[path.suffix]
        reader = getattr(importlib.import_module(f"docling.backend.{module}"), backend)
        given = InputDocument(path_or_stream=path, format=InputFormat[name], backend=reader)
        document = reader(in_doc=given, path_or_stream=path).convert()
        # All layers: it treats content before the first heading of a page as furniture.
        items = document.iterate_items(included_content_layers=set(ContentLayer))
        return [element(document, item) for item, _ in items if hasattr(item, "label")]

    return version("docling-slim"), "its readers of marked-up formats; its models for PDFs and pictures are not installed", read


def main():
    # Discard what a library prints.
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
