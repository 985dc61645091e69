import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Loaded } from '../../components/loaded.tsx'
import { ApiError } from '../../service/errors.ts'
import { useApi } from '../../service/session.ts'
import { useSourceTermsOfDestination } from '../connectors/source-terms.ts'
import { ContentPanel } from './content/content-panel.tsx'
import { DocumentHeader } from './document-header.tsx'
import { DocumentRunsPanel } from './history/runs-panel.tsx'
import { VersionsPanel } from './history/versions-panel.tsx'
import { OpenDocument } from './open-document.tsx'
import { PermissionLine } from './permission-line.tsx'
import { DocumentProblem } from './problem.tsx'
import type { DocumentOverview, WorkflowDocument } from './types.ts'
import { UnknownDocument } from './unknown-document.tsx'

/** One document: readers, text, elements and history. */
export function DocumentScreen() {
  const { record } = useSearch({ from: '/signed-in/w/$workspaceId/documents' })
  return record ? <LoadedDocument key={record} recordId={record} /> : <OpenDocument />
}

function LoadedDocument({ recordId }: { recordId: string }) {
  const { workflow: chosen } = useSearch({ from: '/signed-in/w/$workspaceId/documents' })
  const document = useQuery(useApi().query<DocumentOverview>('/documents', { record_id: recordId }))
  if (document.error instanceof ApiError && document.error.status === 404)
    return <UnknownDocument recordId={recordId} />
  return (
    <Loaded query={document} size="page">
      {(loaded) => {
        const { workflows } = loaded
        const workflow = workflows.find(({ workflow_id: id }) => id === chosen) ?? workflows[0]
        if (!workflow) return <UnknownDocument recordId={recordId} />
        return <Document key={workflow.workflow_id} document={loaded} workflow={workflow} />
      }}
    </Loaded>
  )
}

function Document({ document, workflow }: { document: DocumentOverview; workflow: WorkflowDocument }) {
  const terms = useSourceTermsOfDestination(workflow.destination_id ?? undefined)
  const { record_id: recordId } = document
  return (
    <>
      <DocumentHeader document={document} workflow={workflow} terms={terms} />
      <Stack gap="lg">
        <DocumentProblem workflow={workflow} />
        <PermissionLine recordId={recordId} workflow={workflow} terms={terms} />
        <ContentPanel document={document} workflow={workflow} terms={terms} />
        <VersionsPanel recordId={recordId} workflow={workflow} terms={terms} />
        <DocumentRunsPanel recordId={recordId} workflowId={workflow.workflow_id} />
      </Stack>
    </>
  )
}
