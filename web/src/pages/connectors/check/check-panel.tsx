import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useNotices } from '../../../components/notices.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { checkQuery, startCheck } from '../queries.ts'
import { type Check, type Kind, pathOf } from '../types.ts'
import { CheckSteps } from './check-steps.tsx'

const texts = connectorsTexts.check

/** The last connection test, followed to its end and announced. */
export function CheckPanel({ kind, id, allowed }: { kind: Kind; id: string; allowed: boolean }) {
  const api = useApi()
  const query = useQuery(checkQuery(api, kind, id))
  const again = useAction(() => startCheck(api, kind, id), { refreshes: [`${pathOf(kind)}/${id}`] })
  const check = query.data
  const running = again.isPending || check?.status === 'SCHEDULED'
  useAnnounced(check)
  return (
    <Panel
      title={texts.title}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlugConnected size={16} />}
          disabled={!allowed || running}
          onClick={() => again.mutate()}
        >
          {check ? texts.again : texts.test}
        </Button>
      }
    >
      {query.isError ? <QueryFailure query={query} /> : null}
      {check === null ? <Text c="dimmed">{texts.never}</Text> : null}
      {running ? (
        <Running steps={again.isPending ? [] : (check?.steps ?? [])} />
      ) : check ? (
        <Outcome check={check} />
      ) : null}
    </Panel>
  )
}

// After this time the worker is probably busy, and the page says so.
const SLOW_MS = 20_000

function Running({ steps }: { steps: Check['steps'] }) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack gap="sm" aria-busy="true">
      <Text c="dimmed">{slow && steps.length === 0 ? texts.slow : texts.running}</Text>
      {steps.length > 0 ? <CheckSteps steps={steps} /> : <Unknown />}
    </Stack>
  )
}

/** The steps are known when the first one starts. */
function Unknown() {
  return (
    <>
      {['60%', '75%', '45%'].map((width) => (
        <Group key={width} gap="sm" wrap="nowrap">
          <Skeleton circle height={20} />
          <Skeleton height={14} width={width} />
        </Group>
      ))}
    </>
  )
}

function Outcome({ check }: { check: Check }) {
  return (
    <Stack gap="md">
      <Group gap="xs">
        <StateBadge state={hasWarning(check) ? 'warning' : check.status} />
        <Text size="sm">{lineOf(check)}</Text>
        <Text size="sm" c="dimmed">
          {texts.at} <RelativeTime at={check.reported_at ?? check.created_at} />
        </Text>
      </Group>
      <CheckSteps key={check.id} steps={check.steps} />
    </Stack>
  )
}

/** Announces the result to screen readers once, if the test ran on this page. */
function useAnnounced(check: Check | null | undefined): void {
  const notices = useNotices()
  const waitedFor = useRef<string>(undefined)
  useEffect(() => {
    if (!check) return
    if (check.status === 'SCHEDULED') waitedFor.current = check.id
    else if (waitedFor.current === check.id) {
      waitedFor.current = undefined
      notices.announce(check.reason ? `${lineOf(check)} ${check.reason}` : lineOf(check))
    }
  }, [check, notices])
}

function hasWarning({ status, steps }: Check): boolean {
  return status === 'SUCCESS' && steps.some((step) => step.status === 'warning')
}

function lineOf(check: Check): string {
  if (check.status !== 'SUCCESS') return texts.failure
  return hasWarning(check) ? texts.warned : texts.success
}
