import { Skeleton, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { DataList } from '../../../components/data-list.tsx'
import { TextLink } from '../../../components/links.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { useConnectors } from '../../connectors/queries.ts'
import type { JobDetails } from '../types.ts'

const texts = jobTexts.settings

/** The settings at the start of the run; later changes of the workflow do not apply. */
export function RunSettings({ details: { settings } }: { details: JobDetails }) {
  const { id: workspaceId } = useWorkspace()
  const [isOpen, setOpen] = useState(false)
  const { source_id: sourceId, destination_id: destinationId, retry_of: retried } = settings
  const entries: [string, ReactNode][] = [
    [texts.source, <Connector key="source" kind="source" id={sourceId} />],
    [texts.destination, <Connector key="destination" kind="destination" id={destinationId} />],
    [texts.reprocess, settings.reprocess_all ? texts.yes : texts.no],
    [texts.steps, settings.nodes.map((node) => <Step key={node.id} node={node} />)],
  ]
  if (retried) {
    const link = (
      <TextLink to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: retried }}>
        {texts.openRun}
      </TextLink>
    )
    entries.push([texts.retryOf, link])
  }
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <Text component="summary" fw={500} mb="sm" style={{ cursor: 'pointer' }}>
        {texts.title}
      </Text>
      {isOpen ? <DataList entries={entries} /> : null}
    </details>
  )
}

/** With the names of the settings in the YAML of a workflow. */
function Step({ node: { name, subtype, settings } }: { node: JobDetails['settings']['nodes'][number] }) {
  const values = Object.entries(settings ?? {}).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return (
    <Text>
      {name} <span className="mono">{[subtype, ...values].join(', ')}</span>
    </Text>
  )
}

function Connector({ kind, id }: { kind: 'source' | 'destination'; id: string | null | undefined }) {
  const { id: workspaceId } = useWorkspace()
  const { data, isError } = useConnectors(kind)
  if (!id) return texts.local[kind]
  if (!data) return isError ? <span className="mono">{id}</span> : <Skeleton height={16} width={120} />
  const name = data.find((each) => each.id === id)?.name
  if (!name) return texts.deleted
  return (
    <TextLink
      to="/w/$workspaceId/connectors/$kind/$connectorId"
      params={{ workspaceId, kind, connectorId: id }}
    >
      {name}
    </TextLink>
  )
}
