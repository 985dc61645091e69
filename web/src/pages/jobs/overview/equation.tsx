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
import { addsUp, terms } from './figures.ts'

const texts = jobTexts.equation

/** discovered = new + changed + unchanged + skipped + failed, at every moment of a run. */
export function Equation({ live: { job, details } }: { live: LiveJob }) {
  const { counts, summary } = details
  const undecided = Math.max(0, summary.total_docs - counts.discovered)
  const spoken = terms.map((term) => `${counts[term]} ${texts[term]}`).join(' + ')
  return (
    <Panel title={texts.title}>
      <Stack gap="md">
        {addsUp(counts) ? null : (
          <Alert variant="outline" color="var(--mr-bad)" icon={<IconAlertTriangle size={18} />} role="alert">
            {texts.wrong}
          </Alert>
        )}
        <VisuallyHidden>{`${counts.discovered} ${texts.discovered} = ${spoken}`}</VisuallyHidden>
        <div className={`${classes.equation} figures`}>
          <div className={classes.term} aria-hidden="true">
            <span className={classes.number}>{count(counts.discovered)}</span>
            <span className={classes.word}>{texts.discovered}</span>
          </div>
          {terms.map((term, index) => (
            <Fragment key={term}>
              <span className={classes.sign} aria-hidden="true">
                {index === 0 ? '=' : '+'}
              </span>
              <Term jobId={job.id} term={term} value={counts[term]} />
            </Fragment>
          ))}
        </div>
        <Group gap="4px 24px">
          {undecided > 0 ? (
            <SideCount
              jobId={job.id}
              state="pending"
              text={texts.undecided(undecided)}
              help={texts.undecidedHelp}
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

type TermProps = { jobId: string; term: (typeof terms)[number]; value: number }

/** Links to the documents it counts. */
function Term({ jobId, term, value }: TermProps) {
  const { id: workspaceId } = useWorkspace()
  const tone = term === 'failed' && value > 0 ? 'bad' : value === 0 ? 'none' : undefined
  return (
    <Tooltip label={texts.help[term]} multiline maw={240}>
      <TextLink
        to="/w/$workspaceId/jobs/$jobId"
        params={{ workspaceId, jobId }}
        search={{ tab: 'documents', state: term }}
        className={classes.term}
        data-tone={tone}
        underline="never"
      >
        <span className={classes.number}>{count(value)}</span>
        <span className={classes.word}>{texts[term]}</span>
      </TextLink>
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
