import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconPlugConnected } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, type ReactNode, useEffect, useRef, useState } from 'react'
import { useFailureShown, useNotices } from '../../../components/notices.tsx'
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

type Props = {
  kind: Kind
  id: string
  allowed: boolean
  /** Without a frame, inside another panel. */
  plain?: boolean
  /** Shown below a successful test. */
  next?: ReactNode
}

/** The last connection test. Polls until it ends and announces the result. */
export function CheckPanel({ kind, id, allowed, plain = false, next = null }: Props) {
  const api = useApi()
  const query = useQuery(checkQuery(api, kind, id))
  const retest = useAction(() => startCheck(api, kind, id), { refreshes: [`${pathOf(kind)}/${id}`] })
  const check = query.data
  const Frame = plain ? PlainSection : Panel
  const running = retest.isPending || check?.status === 'SCHEDULED'
  useResultAnnouncement(check)
  useFailureShown(!running && check?.status === 'FAILURE')
  return (
    <Frame
      title={texts.title}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlugConnected size={16} />}
          disabled={!allowed || running}
          onClick={() => retest.mutate()}
        >
          {check ? texts.again : texts.test}
        </Button>
      }
    >
      {query.isError && !check ? <QueryFailure query={query} /> : null}
      {query.isPending ? <StepsSkeleton /> : null}
      {check === null ? <Text c="dimmed">{texts.never}</Text> : null}
      {running ? (
        <Running steps={retest.isPending ? [] : (check?.steps ?? [])} />
      ) : check ? (
        <CheckResult check={check} />
      ) : null}
      {next && !running && check?.status === 'SUCCESS' ? <Group mt="md">{next}</Group> : null}
    </Frame>
  )
}

function PlainSection({ title, actions, children }: ComponentProps<typeof Panel>) {
  return (
    <section aria-label={title}>
      <Group justify="space-between" mb="md">
        <Title order={3}>{title}</Title>
        {actions}
      </Group>
      {children}
    </section>
  )
}

// After this time the worker is probably busy, and the page says so.
const SLOW_MS = 20_000

/** Until the result arrives. */
export function Running({ steps }: { steps: Check['steps'] }) {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <Stack gap="sm" aria-busy="true">
      <Text c="dimmed">{slow && steps.length === 0 ? texts.slow : texts.running}</Text>
      {steps.length > 0 ? <CheckSteps steps={steps} /> : <StepsSkeleton />}
    </Stack>
  )
}

/** Shown until the steps are known. */
function StepsSkeleton() {
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

function CheckResult({ check }: { check: Check }) {
  return (
    <Stack gap="md">
      <Group gap="xs">
        <StateBadge state={hasWarning(check) ? 'warning' : check.status} />
        <Text size="sm">{resultText(check)}</Text>
        <Text size="sm" c="dimmed">
          {texts.at} <RelativeTime at={check.reported_at ?? check.created_at} />
        </Text>
      </Group>
      <CheckSteps key={check.id} steps={check.steps} />
    </Stack>
  )
}

/** Announces the result to screen readers once, if the test ran on this page. */
function useResultAnnouncement(check: Check | null | undefined): void {
  const notices = useNotices()
  const pendingId = useRef<string>(undefined)
  useEffect(() => {
    if (!check) return
    if (check.status === 'SCHEDULED') pendingId.current = check.id
    else if (pendingId.current === check.id) {
      pendingId.current = undefined
      notices.announce(check.reason ? `${resultText(check)} ${check.reason}` : resultText(check))
    }
  }, [check, notices])
}

function hasWarning({ status, steps }: Check): boolean {
  return status === 'SUCCESS' && steps.some((step) => step.status === 'warning')
}

function resultText(check: Check): string {
  if (check.status !== 'SUCCESS') return texts.failure
  return hasWarning(check) ? texts.successWithWarnings : texts.success
}
