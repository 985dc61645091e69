import { Group } from '@mantine/core'
import { TextLink } from '../../components/links.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { type Incomplete, incompleteText } from '../../service/incomplete.ts'
import { useWorkspace } from '../../service/session.ts'
import type { Job } from '../../service/types.ts'
import { incompleteTexts as texts } from '../../texts/incomplete.ts'

type StateOf = Pick<Job, 'processing_status' | 'incomplete'>

/** The state of a job; a run that a limit cut is not successful. */
export function JobState({ job: { processing_status: state, incomplete } }: { job: StateOf }) {
  const isCut = incomplete !== null && (state === 'SUCCESS' || state === 'COMPLETED_WITH_ERRORS')
  return (
    <Group component="span" gap={4}>
      {isCut && state === 'SUCCESS' ? null : <StateBadge state={state} />}
      {isCut ? <IncompleteBadge incomplete={incomplete} /> : null}
    </Group>
  )
}

/** Links to the setting that left something out. */
export function IncompleteBadge({ incomplete }: { incomplete: Incomplete }) {
  const { id: workspaceId } = useWorkspace()
  const limit = incomplete.limits.find((each) => each.setting !== null && each.source_id !== null)
  const text = incompleteText(incomplete)
  const badge = <StateBadge state="warning" label={text} />
  if (!limit?.source_id || !limit.setting) return badge
  return (
    <TextLink
      to="/w/$workspaceId/connectors/$kind/$connectorId"
      params={{ workspaceId, kind: 'source', connectorId: limit.source_id }}
      hash={limit.setting}
      aria-label={texts.open(text)}
    >
      {badge}
    </TextLink>
  )
}
