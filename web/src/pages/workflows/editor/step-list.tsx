import { ActionIcon, Stack, Text } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { hasLanguageModel } from '../draft/node-subtypes.ts'
import { moved } from '../draft/order.ts'
import { useProviders } from '../queries.ts'
import { AddNode } from './add-node.tsx'
import { type Step, stepsOf, useEditing } from './editing.ts'
import { StepCard } from './step-card.tsx'
import { stepText } from './step-display.tsx'
import classes from './step-list.module.css'

const texts = workflowsTexts.editor

/** The way of a document from source to destination. */
export function StepList() {
  const { disabled } = useEditing()
  // Empty while loading, so that the hint does not flash.
  const providers = useProviders()
  const lacksModel = providers.length > 0 && !hasLanguageModel(providers)
  return (
    <Stack gap="md">
      <Steps />
      {lacksModel && !disabled ? (
        <Text size="sm" c="dimmed">
          {workflowsTexts.node.needsModel}
        </Text>
      ) : null}
    </Stack>
  )
}

function Steps() {
  const { draft, connectors } = useEditing()
  const steps = stepsOf(draft)
  return (
    <ol className={classes.list} aria-label={texts.steps}>
      {steps.map((step, index) => (
        <li key={step.key}>
          <StepCard step={step}>{step.node ? <MoveButtons step={step} index={index - 1} /> : null}</StepCard>
          {step.key === 'destination' ? null : (
            <div className={classes.between}>
              <AddNode index={index} after={stepText(step, connectors).title} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

/** Shown only if another order is valid. */
function MoveButtons({ step, index }: { step: Step; index: number }) {
  const { draft, connectors, disabled, move } = useEditing()
  const { title } = stepText(step, connectors)
  const [up, down] = [moved(draft.nodes, index, -1), moved(draft.nodes, index, 1)]
  if (disabled || (!up && !down)) return null
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.move}
        // Not `disabled`: a step at the end keeps the focus.
        data-disabled={up ? undefined : true}
        aria-disabled={up ? undefined : true}
        aria-label={texts.moveUp(title)}
        onClick={() => move(step.key, -1)}
      >
        <IconArrowUp size={16} />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        className={classes.move}
        data-disabled={down ? undefined : true}
        aria-disabled={down ? undefined : true}
        aria-label={texts.moveDown(title)}
        onClick={() => move(step.key, 1)}
      >
        <IconArrowDown size={16} />
      </ActionIcon>
    </>
  )
}
