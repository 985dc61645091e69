import { Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../../components/loaded.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useApi } from '../../../service/session.ts'
import { connectorsTexts as texts } from '../../../texts/connectors.ts'
import { checkQuery } from '../queries.ts'
import type { Check, Kind } from '../types.ts'

export function LastCheck({ kind, id }: { kind: Kind; id: string }) {
  const check = useQuery(checkQuery(useApi(), kind, id))
  return (
    <Loaded query={check} size="inline">
      {resultOf}
    </Loaded>
  )
}

function resultOf(check: Check | null) {
  if (check === null) return texts.neverChecked
  if (check.status === 'SCHEDULED') return <StateBadge state="IN_PROGRESS" label={texts.checking} />
  const hasWarning = check.status === 'SUCCESS' && check.steps.some(({ status }) => status === 'warning')
  return (
    <Group gap="xs">
      <StateBadge state={hasWarning ? 'warning' : check.status} />
      <RelativeTime at={check.reported_at ?? check.created_at} />
    </Group>
  )
}
