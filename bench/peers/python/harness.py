"""Reads one job from standard input after the imports, runs it, and stays until the input closes."""

import json
import sys


def serve(run):
    print("READY", flush=True)
    job = json.loads(sys.stdin.readline())
    run(job)
    print("DONE", flush=True)
    # The bench reads the processor time of this process before it ends.
    sys.stdin.read()


def write_elements(job, elements):
    """The bulk helper of Elasticsearch with its default settings."""
    from elasticsearch import Elasticsearch
    from elasticsearch.helpers import bulk

    client = Elasticsearch(job["engine_url"], basic_auth=(job["engine_user"], job["engine_password"]))
    bulk(client, ({"_index": job["index"], "_source": element} for element in elements))
