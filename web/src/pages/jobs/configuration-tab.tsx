import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { DataList } from '../../components/data-list.tsx'
import { TextLink } from '../../components/links.tsx'
import { Panel } from '../../components/panel.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { jobTexts } from '../../texts/jobs.ts'
import { findType } from '../connectors/connector-type.ts'
import { useConnectorTypes } from '../connectors/queries.ts'
import { TypeIcon } from '../connectors/type-icon.tsx'
import type { Connector as ConnectorShape } from '../connectors/types.ts'
import { SandboxBadge } from '../sandbox/sandbox-badge.tsx'
import classes from './configuration-tab.module.css'
import type { LiveJob } from './live-job.ts'
import type { JobDetails, Node } from './types.ts'

type Settings = JobDetails['settings']

const texts = jobTexts.configuration

/** The settings at the start of the run. */
export function ConfigurationTab({ live }: { live: LiveJob }) {
  const { settings } = live.details
  return (
    <Stack gap="lg">
      <Text c="dimmed">{texts.snapshot}</Text>
      <Panel title={texts.connection}>
        <Connectors settings={settings} />
      </Panel>
      <Panel title={texts.nodes}>
        <ol className={classes.nodes}>
          {settings.nodes.map((node) => (
            <NodeItem key={node.id} node={node} />
          ))}
        </ol>
      </Panel>
    </Stack>
  )
}

function Connectors({ settings }: { settings: Settings }) {
  const { id: workspaceId } = useWorkspace()
  const {
    source_id: source,
    destination_id: destination,
    reprocess_all: reprocess,
    retry_of: retried,
  } = settings
  return (
    <DataList
      entries={[
        [texts.source, <Connector key="source" kind="source" id={source} />],
        [texts.destination, <Connector key="destination" kind="destination" id={destination} />],
        [texts.reprocess, reprocess ? texts.yes : texts.no],
        ...(retried
          ? ([
              [
                texts.retryOf,
                <TextLink
                  key="retried"
                  to="/w/$workspaceId/jobs/$jobId"
                  params={{ workspaceId, jobId: retried }}
                  className="mono"
                >
                  {retried}
                </TextLink>,
              ],
            ] satisfies [string, React.ReactNode][])
          : []),
      ]}
    />
  )
}

function Connector({ kind, id }: { kind: 'source' | 'destination'; id: string | null | undefined }) {
  const api = useApi()
  const { id: workspaceId } = useWorkspace()
  const types = useConnectorTypes().data
  const { data, isPending } = useQuery({
    ...api.query<ConnectorShape>(`/${kind}s/${id}`),
    enabled: Boolean(id),
  })
  if (id === null) return <>{texts.local[kind]}</>
  if (!id) return <>{texts.deleted}</>
  if (isPending) return <Skeleton height={16} width={120} />
  if (!data)
    return (
      <>
        <span className="mono">{id}</span> ({texts.deleted})
      </>
    )
  const type = findType(types, kind, data.type)
  return (
    <Group component="span" gap={6}>
      <TypeIcon type={type} size={16} />
      <TextLink
        to="/w/$workspaceId/connectors/$kind/$connectorId"
        params={{ workspaceId, kind, connectorId: id }}
      >
        {data.name}
      </TextLink>
      <Text span inherit c="dimmed">
        {type?.title}
      </Text>
      {data.sandbox ? <SandboxBadge /> : null}
    </Group>
  )
}

function NodeItem({ node: { name, type, subtype, settings } }: { node: Node }) {
  const entries = Object.entries(settings ?? {})
  return (
    <li className={classes.node}>
      <div className={classes.head}>
        <Text fw={600}>{name}</Text>
        <Text size="sm" c="dimmed" className="mono">
          {type} · {subtype}
        </Text>
      </div>
      {entries.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.defaults}
        </Text>
      ) : (
        <dl className={classes.settings}>
          {entries.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd className="mono">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  )
}
