import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { removalObstacle } from '../draft/order.ts'
import { buttonId, isWrong, type Step, useEditing } from './editing.ts'
import classes from './step-card.module.css'
import { StepIcon, stepText } from './step-display.tsx'

const texts = workflowsTexts.editor

/** The whole card opens the step; small buttons lie above. */
export function StepCard({ step, children }: { step: Step; children?: ReactNode }) {
  const { draft, chosen, choose, connectors, errors, disabled, remove } = useEditing()
  const { title, line } = stepText(step, connectors)
  const wrong = isWrong(errors, step.key)
  const index = draft.nodes.findIndex(({ key }) => key === step.key)
  const kept = step.node ? removalObstacle(draft.nodes, index) : null
  return (
    <div
      className={classes.card}
      data-chosen={chosen === step.key || undefined}
      data-wrong={wrong || undefined}
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
        <span className={classes.line}>{line}</span>
        <VisuallyHidden>{wrong ? texts.openWrong : texts.open}</VisuallyHidden>
      </button>
      {wrong ? <IconAlertTriangle size={16} className={classes.wrong} aria-hidden="true" /> : null}
      {children}
      {step.node && kept !== 'keepsPartition' && !disabled ? (
        <Tooltip label={kept ? texts[kept] : texts.remove} events={{ hover: true, focus: true, touch: true }}>
          <ActionIcon
            variant="subtle"
            color="gray"
            className={classes.above}
            aria-label={texts.removeNamed(title) + (kept ? `. ${texts[kept]}` : '')}
            // Not `disabled`: it must take focus to say why.
            data-disabled={kept ? true : undefined}
            aria-disabled={kept ? true : undefined}
            onClick={() => !kept && remove(step.key)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Tooltip>
      ) : null}
    </div>
  )
}
