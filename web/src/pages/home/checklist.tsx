import { CloseButton, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react'
import { ButtonLink } from '../../components/links.tsx'
import { Panel } from '../../components/panel.tsx'
import { useSession, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { homeTexts } from '../../texts/home.ts'
import { roleTexts } from '../../texts/roles.ts'
import { hasStartedGuide } from '../connect/stored-guide.ts'
import classes from './home.module.css'
import { type SetupStep, setupStepsOf } from './setup-steps.ts'
import { TryButton } from './try-button.tsx'
import type { Overview } from './types.ts'
import { useDismissed } from './use-dismissed.ts'

const texts = homeTexts.setup

/** What is left to do in a workspace; gone when each step is done or dismissed. */
export function Checklist({ overview }: { overview: Overview }) {
  const { id: workspaceId, role } = useWorkspace()
  const isBusiness = useSession().tier === 'business'
  const [dismissed, dismiss] = useDismissed(workspaceId)
  const steps = setupStepsOf(overview, { role, isBusiness }).filter(({ step }) => !dismissed.includes(step))
  const [next] = steps.filter(({ isDone }) => !isDone)
  if (!next) return null
  return (
    <Panel
      title={texts.title}
      description={may(role, 'developer') ? undefined : texts.needsDeveloper(roleTexts[role].name)}
    >
      <ol className={classes.steps}>
        {steps.map(({ step, isDone }) => {
          const Icon = isDone ? IconCircleCheck : IconCircleDashed
          return (
            <li key={step} className={classes.step} aria-current={step === next.step ? 'step' : undefined}>
              <Icon
                size={20}
                role="img"
                aria-label={isDone ? texts.done : texts.open}
                className={isDone ? classes.done : classes.open}
              />
              <div className={classes.about}>
                <Text fw={500}>{texts.steps[step].title}</Text>
                {isDone ? null : (
                  <Text size="sm" c="dimmed">
                    {aboutText(step, overview)}
                  </Text>
                )}
              </div>
              <div className={classes.action}>
                <Action step={step} isDone={isDone} isNext={step === next.step} overview={overview} />
              </div>
              {isDone ? null : (
                <CloseButton
                  aria-label={texts.dismiss(texts.steps[step].title)}
                  title={texts.dismiss(texts.steps[step].title)}
                  onClick={() => dismiss(step)}
                />
              )}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

function aboutText(step: SetupStep, { setup: { systems, sample_reason: reason } }: Overview): string {
  if (step === 'sample') return reason ?? texts.steps.sample.text
  if (step === 'source') return texts.steps.source.text(systems.sources)
  if (step === 'destination') return texts.steps.destination.text(systems.destinations)
  return texts.steps[step].text
}

type ActionProps = { step: SetupStep; isDone: boolean; isNext: boolean; overview: Overview }

function Action({ step, isDone, isNext, overview }: ActionProps) {
  const { id: workspaceId } = useWorkspace()
  const button = { size: 'xs', variant: isNext ? 'filled' : 'default' }
  const params = { workspaceId }
  if (step === 'sample')
    return overview.setup.sample_reason ? null : (
      <TryButton label={isDone ? texts.searchSample : texts.steps.sample.action} {...button} />
    )
  if (isDone) return null
  const label = texts.steps[step].action
  switch (step) {
    case 'schedule':
      return (
        <ButtonLink {...button} to="/w/$workspaceId/workflows" params={params}>
          {label}
        </ButtonLink>
      )
    case 'invite':
      return (
        <ButtonLink
          {...button}
          to="/w/$workspaceId/settings/$section"
          params={{ ...params, section: 'members' }}
        >
          {label}
        </ButtonLink>
      )
    case 'assistant':
      return (
        <ButtonLink {...button} to="/w/$workspaceId/keys" params={params}>
          {label}
        </ButtonLink>
      )
    default:
      return (
        <ButtonLink {...button} to="/w/$workspaceId/connect" params={params} search={{ step }}>
          {isNext && hasStartedGuide(workspaceId) ? texts.continue : label}
        </ButtonLink>
      )
  }
}
