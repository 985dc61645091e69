import { CloseButton, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { focusField } from '../../../schema-form/labels.ts'
import { workflowsTexts as texts } from '../../../texts/workflows.ts'
import { ConnectorSelect } from '../connector-select.tsx'
import { stepsOf, useEditing } from './editing.ts'
import { NodeForm } from './node-form.tsx'
import { WorkflowForm } from './workflow-form.tsx'

/** Settings of the chosen step or the workflow. */
export function Pane() {
  const { draft, chosen } = useEditing()
  const step = stepsOf(draft).find(({ key }) => key === chosen)
  if (!step) {
    return (
      <PaneFrame title={texts.editor.workflow} about={texts.editor.workflowText}>
        <WorkflowForm />
      </PaneFrame>
    )
  }
  return (
    <PaneFrame
      key={step.key}
      title={step.node?.name ?? texts.nodes[step.kind].name}
      about={texts.nodes[step.kind].about}
      closable
    >
      {step.node ? (
        <NodeForm key={step.key} node={step.node} />
      ) : (
        <ChosenConnector kind={step.key as 'source' | 'destination'} />
      )}
    </PaneFrame>
  )
}

function ChosenConnector({ kind }: { kind: 'source' | 'destination' }) {
  const { draft, change, disabled, errors } = useEditing()
  const field = `${kind}Id` as const
  const name = `${kind}_id`
  return (
    <ConnectorSelect
      kind={kind}
      name={name}
      value={draft[field]}
      error={errors[name]}
      disabled={disabled}
      onChange={(id) => change(name, (now) => ({ ...now, [field]: id }))}
    />
  )
}

type PaneFrameProps = { title: string; about: string; closable?: boolean; children: ReactNode }

/** Takes the focus when opened, and returns it when closed. */
function PaneFrame({ title, about, closable = false, children }: PaneFrameProps) {
  const { choose, field } = useEditing()
  const heading = useRef<HTMLHeadingElement>(null)
  const frame = useRef<HTMLElement>(null)
  const id = useId()
  useEffect(() => {
    if (field && frame.current) focusField(field.name, frame.current)
    else if (closable) heading.current?.focus()
  }, [closable, field])
  return (
    <Paper
      component="section"
      ref={frame}
      aria-labelledby={id}
      withBorder
      p={{ base: 'md', sm: 'lg' }}
      bg="var(--mr-surface)"
      onKeyDown={(event) => {
        // An open list closes first and prevents the default.
        if (closable && event.key === 'Escape' && !event.defaultPrevented) choose(null)
      }}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="md">
        <Stack gap={4}>
          <Title order={2} id={id} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          <Text size="sm" c="dimmed">
            {about}
          </Text>
        </Stack>
        {closable ? <CloseButton aria-label={texts.editor.closePane} onClick={() => choose(null)} /> : null}
      </Group>
      {children}
    </Paper>
  )
}
