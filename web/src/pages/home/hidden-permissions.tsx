import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import { TextLink } from '../../components/links.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { homeTexts } from '../../texts/home.ts'
import { useSourceTerms } from '../connectors/source-terms.ts'
import { type Freshness, hiddenScopes } from '../workflows/permissions/freshness.ts'
import { useAllWorkflows } from '../workflows/queries.ts'
import { mayHide } from './may-hide.ts'
import type { Overview } from './types.ts'

const texts = homeTexts.hidden
const POLL_MS = 15_000

/** Warns about workflows whose permissions are so old that search hides documents. */
export function HiddenPermissions({ overview }: { overview: Overview }) {
  const api = useApi()
  const known = useAllWorkflows()
  const workflows = mayHide(known.data ?? [], overview, Date.now())
  const all = useQueries({
    queries: workflows.map(({ id }) => ({
      ...api.query<Freshness>(`/workflows/${id}/freshness`),
      refetchInterval: POLL_MS,
    })),
  })
  const failed = [known, ...all].find(({ isError, data }) => isError && !data)
  const isPending = [known, ...all].some((query) => query.isPending)
  const affected = workflows.flatMap((workflow, index) => {
    const freshness = all[index]?.data
    const hidden = freshness ? hiddenScopes(freshness, workflow).length : 0
    return hidden > 0 ? [{ workflow, hidden }] : []
  })
  if (!failed && !isPending && affected.length === 0) return null
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconEyeOff size={18} />}
      p="sm"
      title={texts.title}
    >
      <Stack gap={4}>
        <Text size="sm">{texts.text}</Text>
        {affected.map(({ workflow: { id, name, sources }, hidden }) => (
          <AffectedWorkflow key={id} id={id} name={name} sourceId={sources[0]} hidden={hidden} />
        ))}
        {isPending ? <Skeleton height={18} width={240} /> : null}
        {failed ? <QueryFailure query={failed} /> : null}
      </Stack>
    </Alert>
  )
}

type AffectedProps = { id: string; name: string; sourceId: string | undefined; hidden: number }

function AffectedWorkflow({ id, name, sourceId, hidden }: AffectedProps) {
  const { id: workspaceId } = useWorkspace()
  const { scope } = useSourceTerms(sourceId)
  return (
    <Text size="sm">
      <TextLink inherit to="/w/$workspaceId/workflows/$workflowId" params={{ workspaceId, workflowId: id }}>
        {name}
      </TextLink>
      {texts.hides(hidden, scope)}
    </Text>
  )
}
