import { Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconPlugConnected } from '@tabler/icons-react'
import { ButtonLink } from '../../components/links.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { homeTexts } from '../../texts/home.ts'
import { roleTexts } from '../../texts/roles.ts'
import { Card } from './card.tsx'
import classes from './home.module.css'
import { doneSteps, type NextStep, nextStep, steps } from './next-step.ts'
import type { Overview } from './types.ts'

const texts = homeTexts.connect

/** Steps to the first run; finished steps are ticked. */
export function ConnectCard({ overview, isSecondary }: { overview: Overview; isSecondary: boolean }) {
  const done = doneSteps(overview)
  const next = nextStep(overview)
  return (
    <Card icon={<IconPlugConnected size={28} stroke={1.5} />} title={texts.title} text={texts.text}>
      <ol className={classes.steps}>
        {steps.map((step) => (
          <li key={step} className={classes.step} aria-current={step === next ? 'step' : undefined}>
            {done[step] ? (
              <IconCircleCheck size={18} role="img" aria-label={texts.done} className={classes.done} />
            ) : (
              <IconCircleDashed size={18} role="img" aria-label={texts.open} className={classes.open} />
            )}
            <Text span size="sm" fw={step === next ? 600 : undefined}>
              {texts.steps[step]}
            </Text>
          </li>
        ))}
      </ol>
      <div className={classes.action}>
        {next ? <Action step={next} variant={isSecondary ? 'default' : 'filled'} /> : null}
      </div>
    </Card>
  )
}

function Action({ step, variant }: { step: NextStep; variant: 'default' | 'filled' }) {
  const { id: workspaceId, role } = useWorkspace()
  const isConnector = step === 'source' || step === 'destination'
  if (may(role, 'developer') && step !== 'run') {
    return (
      <ButtonLink variant={variant} to="/w/$workspaceId/connect" params={{ workspaceId }}>
        {step === 'source' ? texts.start : texts.continue}
      </ButtonLink>
    )
  }
  if (!may(role, isConnector ? 'developer' : 'operator')) {
    return (
      <Text size="sm" c="dimmed">
        {isConnector ? texts.needsDeveloper : texts.needsOperator} {roleTexts[role].name}.
      </Text>
    )
  }
  return (
    <ButtonLink
      variant={variant}
      to={step === 'workflow' ? '/w/$workspaceId/workflows/new' : '/w/$workspaceId/workflows'}
      params={{ workspaceId }}
    >
      {step === 'workflow' ? texts.actions.workflow : texts.actions.run}
    </ButtonLink>
  )
}
