import { Alert, Group, Stack, Text, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { Fragment } from 'react'
import { TextLink } from '../../../components/links.tsx'
import { Panel } from '../../../components/panel.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { count } from '../../../texts/times.ts'
import type { LiveJob } from '../live-job.ts'
import classes from './equation.module.css'
import { addsUp, outcomes } from './job-numbers.ts'

const texts = jobTexts.equation

/** discovered = new + changed + unchanged + skipped + failed, at every moment of a run. */
export function Equation({ live: { job, details } }: { live: LiveJob }) {
  const { counts, summary } = details
  const pending = Math.max(0, summary.total_docs - counts.discovered)
  const spokenSum = outcomes.map((outcome) => `${counts[outcome]} ${texts[outcome]}`).join(' + ')
  return (
    <Panel title={texts.title}>
      <Stack gap="md">
        {addsUp(counts) ? null : (
          <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} role="alert">
            {texts.inconsistent}
          </Alert>
        )}
        <VisuallyHidden>{`${counts.discovered} ${texts.discovered} = ${spokenSum}`}</VisuallyHidden>
        <div className={`${classes.equation} figures`}>
          <div className={classes.term} aria-hidden="true">
            <span className={classes.number}>{count(counts.discovered)}</span>
            <span className={classes.word}>{texts.discovered}</span>
          </div>
          {outcomes.map((outcome, index) => (
            <Fragment key={outcome}>
              <span className={classes.sign} aria-hidden="true">
                {index === 0 ? '=' : '+'}
              </span>
              <OutcomeCount jobId={job.id} outcome={outcome} value={counts[outcome]} />
            </Fragment>
          ))}
        </div>
        <Group gap="4px 24px">
          {pending > 0 ? (
            <SideCount
              jobId={job.id}
              state="pending"
              text={texts.pending(pending)}
              help={texts.pendingHelp}
            />
          ) : null}
          <SideCount
            jobId={job.id}
            state="permissions_only"
            text={texts.permissions(counts.permissions_only)}
            help={texts.permissionsHelp}
          />
          <SideCount
            jobId={job.id}
            state="removed"
            text={texts.removed(counts.removed)}
            help={texts.removedHelp}
          />
        </Group>
      </Stack>
    </Panel>
  )
}

type OutcomeCountProps = { jobId: string; outcome: (typeof outcomes)[number]; value: number }

/** Links to the counted documents; unchanged ones are not listed. */
function OutcomeCount({ jobId, outcome, value }: OutcomeCountProps) {
  const { id: workspaceId } = useWorkspace()
  const tone = outcome === 'failed' && value > 0 ? 'bad' : value === 0 ? 'none' : undefined
  const term = (
    <>
      <span className={classes.number}>{count(value)}</span>
      <span className={classes.word}>{texts[outcome]}</span>
    </>
  )
  return (
    <Tooltip label={texts.help[outcome]} multiline maw={240}>
      {outcome === 'unchanged' ? (
        <div className={classes.term} data-tone={tone}>
          {term}
        </div>
      ) : (
        <TextLink
          to="/w/$workspaceId/jobs/$jobId"
          params={{ workspaceId, jobId }}
          search={{ tab: 'documents', state: outcome }}
          className={classes.term}
          data-tone={tone}
          underline="never"
        >
          {term}
        </TextLink>
      )}
    </Tooltip>
  )
}

type SideCountProps = {
  jobId: string
  state: 'pending' | 'permissions_only' | 'removed'
  text: string
  help: string
}

function SideCount({ jobId, state, text, help }: SideCountProps) {
  const { id: workspaceId } = useWorkspace()
  return (
    <Text size="sm" className="figures">
      <TextLink
        to="/w/$workspaceId/jobs/$jobId"
        params={{ workspaceId, jobId }}
        search={{ tab: 'documents', state }}
        inherit
        fw={600}
        c="var(--mantine-color-text)"
      >
        {text}
      </TextLink>{' '}
      <Text span inherit c="dimmed">
        {help}
      </Text>
    </Text>
  )
}
