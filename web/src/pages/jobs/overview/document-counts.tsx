import { Alert, Group, Stack, Text } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Fragment } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { count } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import type { JobSearch } from '../types.ts'
import { addsUp, outcomes } from './job-numbers.ts'

const texts = jobTexts.counts

/** discovered = new + changed + unchanged + skipped + failed, at every moment of a run, without the zeros. */
export function DocumentCounts({ live: { job, details, mode } }: { live: LiveJob }) {
  const { counts, summary, settings } = details
  const pending = Math.max(0, summary.total_docs - counts.discovered)
  const others = { pending, permissions_only: counts.permissions_only, removed: counts.removed }
  const shownOthers = (['pending', 'permissions_only', 'removed'] as const).filter(
    (state) => others[state] > 0,
  )
  if (job.status === 'FAILED' && summary.total_docs === 0) return null
  const shown = outcomes.filter((outcome) => counts[outcome] > 0)
  return (
    <Panel title={texts.title}>
      <Stack gap="xs">
        {addsUp(counts) ? null : (
          <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} role="alert">
            {texts.inconsistent}
          </Alert>
        )}
        {counts.discovered === 0 ? (
          <Text c="dimmed">
            {mode === 'ended' ? texts.none : summary.total_docs === 0 ? texts.listing : texts.waiting}
          </Text>
        ) : (
          <Text size="lg" className="figures">
            {count(counts.discovered)} {texts.discovered}
            {shown.map((outcome, index) => (
              <Fragment key={outcome}>
                {index === 0 ? ' = ' : ' + '}
                <DocumentsLink jobId={job.id} state={outcome}>
                  {count(counts[outcome])}{' '}
                  {outcome === 'changed' && settings.reprocess_all ? texts.reprocessed : texts[outcome]}
                </DocumentsLink>
              </Fragment>
            ))}
          </Text>
        )}
        {shownOthers.length > 0 ? (
          <Group gap="4px 24px" fz="sm" className="figures">
            {shownOthers.map((state) => (
              <DocumentsLink key={state} jobId={job.id} state={state}>
                {texts[state](others[state])}
              </DocumentsLink>
            ))}
          </Group>
        ) : null}
      </Stack>
    </Panel>
  )
}

type DocumentsLinkProps = {
  jobId: string
  state: NonNullable<JobSearch['state']> | 'unchanged'
  children: React.ReactNode
}

/** Unchanged documents are not listed. */
function DocumentsLink({ jobId, state, children }: DocumentsLinkProps) {
  const { id: workspaceId } = useWorkspace()
  if (state === 'unchanged') return <span>{children}</span>
  return (
    <TextLink
      to="/w/$workspaceId/jobs/$jobId"
      params={{ workspaceId, jobId }}
      search={{ tab: 'documents', state }}
      inherit
      c={state === 'failed' ? 'var(--mr-bad)' : undefined}
    >
      {children}
    </TextLink>
  )
}
