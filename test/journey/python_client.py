"""The official client, unmodified, through everything it can do with sources, destinations, workflows and jobs.

Usage: python_client.py SERVER_URL KEY WIKI_URL WIKI_USER WIKI_TOKEN INDEX_URL INDEX_KEY INDEX_NAME
Prints one JSON object with what it saw; any unexpected answer raises.
"""

import json
import sys
import time

from unstructured_client import UnstructuredClient
from unstructured_client.models.errors import SDKError
from unstructured_client.models.operations import (
    CreateConnectionCheckDestinationsRequest,
    CreateConnectionCheckSourcesRequest,
    CreateDestinationRequest,
    CreateJobRequest,
    CreateSourceRequest,
    CreateWorkflowRequest,
    CancelJobRequest,
    DeleteDestinationRequest,
    DeleteSourceRequest,
    DeleteWorkflowRequest,
    DownloadJobOutputRequest,
    GetConnectionCheckDestinationsRequest,
    GetConnectionCheckSourcesRequest,
    GetDestinationRequest,
    GetJobDetailsRequest,
    GetJobFailedFilesRequest,
    GetJobRequest,
    GetSourceRequest,
    GetTemplateRequest,
    GetWorkflowRequest,
    ListDestinationsRequest,
    ListJobsRequest,
    ListSourcesRequest,
    ListTemplatesRequest,
    ListWorkflowsRequest,
    PartitionRequest,
    RunWorkflowRequest,
    UpdateSourceRequest,
    UpdateWorkflowRequest,
)
from unstructured_client.models.shared import (
    BodyCreateJob,
    CreateDestinationConnector,
    CreateSourceConnector,
    CreateWorkflow,
    Files,
    InputFiles,
    PartitionParameters,
    Strategy,
    UpdateSourceConnector,
    UpdateWorkflow,
    WorkflowNode,
    WorkflowType,
)

server, key, wiki_url, wiki_user, wiki_token, index_url, index_key, index_name = sys.argv[1:]
client = UnstructuredClient(server_url=server, api_key_auth=key)
seen = {}


def until(what, done, seconds=120):
    end = time.monotonic() + seconds
    while True:
        value = what()
        if done(value):
            return value
        if time.monotonic() > end:
            raise TimeoutError(value)
        time.sleep(0.3)


source_config = {"url": wiki_url, "username": wiki_user, "api_token": wiki_token, "cloud": True, "spaces": None}
source = client.sources.create_source(
    request=CreateSourceRequest(create_source_connector=CreateSourceConnector(name="wiki of the python client", type="confluence", config=source_config))
).source_connector_information
seen["source_type"] = source.type
seen["source_token"] = source.config["api_token"] if isinstance(source.config, dict) else source.config.api_token

destination = client.destinations.create_destination(
    request=CreateDestinationRequest(
        create_destination_connector=CreateDestinationConnector(
            name="index of the python client",
            type="elasticsearch",
            config={"hosts": [index_url], "index_name": index_name, "es_api_key": index_key},
        )
    )
).destination_connector_information
seen["destination_type"] = destination.type

table_settings = {"host": "db.example.com", "database": "search", "port": 5432, "username": "writer", "password": "secret", "table_name": "elements", "batch_size": 50}
table = client.destinations.create_destination(
    request=CreateDestinationRequest(
        create_destination_connector=CreateDestinationConnector(name="table of the python client", type="postgres", config=table_settings)
    )
).destination_connector_information
returned = table.config if isinstance(table.config, dict) else table.config.model_dump()
seen["table"] = [table.type, {name: returned[name] for name in table_settings}]
client.destinations.delete_destination(request=DeleteDestinationRequest(destination_id=table.id))

client.sources.create_connection_check_sources(request=CreateConnectionCheckSourcesRequest(source_id=source.id))
seen["source_check"] = until(
    lambda: client.sources.get_connection_check_sources(
        request=GetConnectionCheckSourcesRequest(source_id=source.id)
    ).dag_node_connection_check.status.value,
    lambda status: status != "SCHEDULED",
)
client.destinations.create_connection_check_destinations(
    request=CreateConnectionCheckDestinationsRequest(destination_id=destination.id)
)
seen["destination_check"] = until(
    lambda: client.destinations.get_connection_check_destinations(
        request=GetConnectionCheckDestinationsRequest(destination_id=destination.id)
    ).dag_node_connection_check.status.value,
    lambda status: status != "SCHEDULED",
)

seen["sources_by_either_name"] = [
    len(client.sources.list_sources(request=ListSourcesRequest(source_type=name)).response_list_sources)
    for name in ("confluence", "wiki")
]
seen["destinations"] = len(client.destinations.list_destinations(request=ListDestinationsRequest()).response_list_destinations)
client.sources.get_source(request=GetSourceRequest(source_id=source.id))
client.destinations.get_destination(request=GetDestinationRequest(destination_id=destination.id))
client.sources.update_source(
    request=UpdateSourceRequest(
        source_id=source.id,
        update_source_connector=UpdateSourceConnector(config={**source_config, "api_token": "**********", "max_num_of_spaces": 400}),
    )
)

workflow = client.workflows.create_workflow(
    request=CreateWorkflowRequest(
        create_workflow=CreateWorkflow(
            name="workflow of the python client",
            workflow_type=WorkflowType.CUSTOM,
            source_id=source.id,
            destination_id=destination.id,
            schedule="weekly",
            workflow_nodes=[
                WorkflowNode(name="Partitioner", type="partition", subtype="unstructured_api", settings={"strategy": "fast"}),
                WorkflowNode(name="Chunker", type="chunk", subtype="chunk_by_title", settings={"max_characters": 800, "new_after_n_chars": 600}),
            ],
        )
    )
).workflow_information
seen["cron"] = workflow.schedule.crontab_entries[0].cron_expression
seen["nodes"] = [node.subtype for node in workflow.workflow_nodes]
client.workflows.get_workflow(request=GetWorkflowRequest(workflow_id=workflow.id))
seen["workflows"] = len(client.workflows.list_workflows(request=ListWorkflowsRequest()).response_list_workflows)
client.workflows.update_workflow(
    request=UpdateWorkflowRequest(workflow_id=workflow.id, update_workflow=UpdateWorkflow(schedule=None, reprocess_all=False))
)

job = client.workflows.run_workflow(request=RunWorkflowRequest(workflow_id=workflow.id)).job_information
seen["job"] = until(
    lambda: client.jobs.get_job(request=GetJobRequest(job_id=job.id)).job_information.status.value,
    lambda status: status in ("COMPLETED", "FAILED", "STOPPED"),
    300,
)
details = client.jobs.get_job_details(request=GetJobDetailsRequest(job_id=job.id)).job_details
seen["processing_status"] = details.processing_status.value
seen["node_types"] = [node.node_type for node in details.node_stats]
seen["failed_files"] = len(client.jobs.get_job_failed_files(request=GetJobFailedFilesRequest(job_id=job.id)).job_failed_files.failed_files)
seen["jobs"] = len(client.jobs.list_jobs(request=ListJobsRequest(workflow_id=workflow.id)).response_list_jobs)
client.jobs.cancel_job(request=CancelJobRequest(job_id=job.id))

templates = client.templates.list_templates(request=ListTemplatesRequest()).response_list_templates
seen["templates"] = sorted(template.id for template in templates)
client.templates.get_template(request=GetTemplateRequest(template_id="hi_res_partition"))

page = b"<h1>Mill</h1><p>The wheel turns by the water.</p>"
on_demand = client.jobs.create_job(
    request=CreateJobRequest(
        body_create_job=BodyCreateJob(
            request_data=json.dumps({"template_id": "hi_res_partition"}),
            input_files=[InputFiles(content=page, file_name="mill.html", content_type="text/html")],
        )
    )
).job_information
done = until(
    lambda: client.jobs.get_job(request=GetJobRequest(job_id=on_demand.id)).job_information,
    lambda job: job.status.value in ("COMPLETED", "FAILED", "STOPPED"),
    60,
)
output = client.jobs.download_job_output(
    request=DownloadJobOutputRequest(
        job_id=done.id, file_id=done.input_file_ids[0], node_id=done.output_node_files[0].node_id
    )
).any
seen["on_demand"] = [done.job_type.value, [element["text"] for element in output]]
partitioned = client.general.partition(
    request=PartitionRequest(
        partition_parameters=PartitionParameters(
            files=Files(content=page, file_name="mill.html"),
            strategy=Strategy.FAST,
            chunking_strategy="basic",
        )
    )
).elements
seen["partitioned"] = [element["text"] for element in partitioned]

client.workflows.delete_workflow(request=DeleteWorkflowRequest(workflow_id=workflow.id))
client.sources.delete_source(request=DeleteSourceRequest(source_id=source.id))
client.destinations.delete_destination(request=DeleteDestinationRequest(destination_id=destination.id))
try:
    client.sources.get_source(request=GetSourceRequest(source_id=source.id))
    seen["after_delete"] = "still there"
except SDKError as error:
    seen["after_delete"] = error.status_code

print(json.dumps(seen))
