import { Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconLoader2 } from '@tabler/icons-react'
import { useSearch } from '@tanstack/react-router'
import { Panel } from '../../components/panel.tsx'
import type { Job } from '../../service/types.ts'
import { tryTexts } from '../../texts/try.ts'
import type { LiveJob } from '../jobs/live-job.ts'
import classes from './home.module.css'
import { namesOf, useSample } from './sample.ts'

const texts = tryTexts.page

const icons = {
  done: IconCircleCheck,
  working: IconLoader2,
  failed: IconCircleX,
  open: IconCircleDashed,
}
type StepState = keyof typeof icons

/** A run in which documents failed may have filled nothing, as with a full sandbox. */
export function outcomeOf({ status, processing_status: result }: Job): 'ready' | 'failed' | 'running' {
  if (result === 'COMPLETED_WITH_ERRORS' || status === 'FAILED' || status === 'STOPPED') return 'failed'
  return status === 'COMPLETED' ? 'ready' : 'running'
}

/** The four steps from the sample wiki to the search. */
export function TrySteps({ live: { job, details }, mayName }: { live: LiveJob; mayName: boolean }) {
  const { summary, counts } = details
  const outcome = outcomeOf(job)
  const isReady = outcome === 'ready'
  const hasFailed = outcome === 'failed'
  const steps: [string, StepState][] = [
    [texts.source, 'done'],
    [texts.sandbox, 'done'],
    [texts.run(counts.discovered, summary.total_docs), isReady ? 'done' : hasFailed ? 'failed' : 'working'],
    [texts.search(useNames()), isReady && mayName ? 'working' : 'open'],
  ]
  return (
    <Panel title={texts.steps}>
      <ol className={classes.steps}>
        {steps.map(([text, state]) => {
          const Icon = icons[state]
          return (
            <li key={text} className={classes.step} aria-current={state === 'working' ? 'step' : undefined}>
              <Icon size={18} role="img" aria-label={texts[state]} className={classes[state]} />
              <Text span size="sm" className="figures" fw={state === 'working' ? 600 : undefined}>
                {text}
              </Text>
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

function useNames(): string {
  const { user, user2 } = useSearch({ from: '/signed-in/w/$workspaceId/try' })
  const { data: sample } = useSample()
  const names = sample ? namesOf(sample) : undefined
  const shown = [user, user2].flatMap((id) => (id && names?.get(id)) || [])
  return shown.length === 2 ? shown.join(texts.and) : texts.twoPeople
}
