import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { reasonNotRemovable } from '../draft/order.ts'
import { buttonId, hasErrors, type Step, useEditing } from './editing.ts'
import classes from './step-card.module.css'
import { StepIcon, stepText } from './step-display.tsx'

const texts = workflowsTexts.editor

/** The whole card opens the step; its buttons are on top. */
export function StepCard({ step, children }: { step: Step; children?: ReactNode }) {
  const { draft, chosen, choose, connectors, errors, disabled, remove } = useEditing()
  const { title, subtitle } = stepText(step, connectors)
  const invalid = hasErrors(errors, step.key)
  const index = draft.nodes.findIndex(({ key }) => key === step.key)
  const notRemovable = step.node ? reasonNotRemovable(draft.nodes, index) : null
  return (
    <div
      className={classes.card}
      data-chosen={chosen === step.key || undefined}
      data-invalid={invalid || undefined}
    >
      <span className={classes.icon}>
        <StepIcon step={step} connectors={connectors} />
      </span>
      <button
        type="button"
        id={buttonId(step.key)}
        className={classes.open}
        aria-pressed={chosen === step.key}
        onClick={() => choose(step.key)}
      >
        <span className={classes.title}>{title}</span>
        <span className={classes.subtitle}>{subtitle}</span>
        <VisuallyHidden>{invalid ? texts.openInvalid : texts.open}</VisuallyHidden>
      </button>
      {invalid ? <IconAlertTriangle size={16} className={classes.invalid} aria-hidden="true" /> : null}
      {children}
      {step.node && notRemovable !== 'partitionerNeeded' && !disabled ? (
        <Tooltip
          label={notRemovable ? texts[notRemovable] : texts.remove}
          events={{ hover: true, focus: true, touch: true }}
        >
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.above}
            aria-label={texts.removeNamed(title) + (notRemovable ? `. ${texts[notRemovable]}` : '')}
            // Not `disabled`: it must take focus to say why.
            data-disabled={notRemovable ? true : undefined}
            aria-disabled={notRemovable ? true : undefined}
            onClick={() => !notRemovable && remove(step.key)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </div>
  )
}
