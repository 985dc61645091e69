/** Ready to paste; the key comes from the environment. */
export function snippetsFor(origin: string): { curl: string; python: string; typescript: string } {
  return {
    curl: `curl ${origin}/api/v1/workflows \\
  -H "Authorization: Bearer $MILLRACE_API_KEY"`,
    python: `# pip install unstructured-client
import os
from unstructured_client import UnstructuredClient
from unstructured_client.models.operations import ListWorkflowsRequest

client = UnstructuredClient(
    server_url="${origin}",
    api_key_auth=os.environ["MILLRACE_API_KEY"],
)
response = client.workflows.list_workflows(request=ListWorkflowsRequest())
for workflow in response.response_list_workflows:
    print(workflow.id, workflow.name)`,
    typescript: `const response = await fetch('${origin}/api/v1/workflows', {
  headers: { authorization: \`Bearer \${process.env.MILLRACE_API_KEY}\` },
})
if (!response.ok) throw new Error(await response.text())
for (const { id, name } of await response.json()) console.log(id, name)`,
  }
}
