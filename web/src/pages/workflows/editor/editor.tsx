import { ActionIcon, Alert, Button, SegmentedControl, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconArrowForwardUp, IconInfoCircle } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { FormErrors } from '../../../components/form-errors.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import type { Workflow } from '../../../service/types.ts'
import { useKeptFocus } from '../../../shell/kept-focus.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { sentence } from '../../jobs/error-advice.ts'
import { useDraft } from '../draft/use-draft.ts'
import { Preview } from '../preview/preview.tsx'
import type { Draft } from '../types.ts'
import { type View, views } from '../views.ts'
import { EditingContext } from './editing.ts'
import classes from './editor.module.css'
import { LeaveGuard } from './leave-guard.tsx'
import { Pane } from './pane.tsx'
import { StepList } from './step-list.tsx'
import { useEditingState } from './use-editing.ts'
import { useSaving } from './use-saving.ts'

// Canvas and YAML are a third of the page's weight, so they load on demand.
const Canvas = lazy(() => import('./canvas.tsx').then(({ Canvas: component }) => ({ default: component })))
const YamlView = lazy(() =>
  import('./yaml-view.tsx').then(({ YamlView: component }) => ({ default: component })),
)

const texts = workflowsTexts.editor

type Props = {
  initial: Draft
  workflow?: Workflow | undefined
  view: View
  onView: (view: View) => void
  onSaved: (workflow: Workflow) => void | Promise<void>
  disabled: boolean
  hint?: string | undefined
  /** Next to the title, and before Save; both know about unsaved changes. */
  aside?: ReactNode
  actions?: (unsaved: boolean) => ReactNode
}

/** One draft in four views. */
export function Editor({ initial, workflow, view, onView, onSaved, disabled, hint, aside, actions }: Props) {
  const state = useDraft(initial)
  const { editing, setErrors, connectors } = useEditingState(state, disabled)
  const [wrongLines, setWrongLines] = useState(0)
  const unsaved = useRef(false)
  const { save, saving, failure, refused } = useSaving({
    state,
    id: workflow?.id,
    onErrors: setErrors,
    onSaved: async (saved) => {
      unsaved.current = false
      await onSaved(saved)
    },
  })
  unsaved.current = state.dirty && !saving
  useKeptFocus(saving)
  const nothingToSave = workflow !== undefined && !state.dirty && !saving
  const back = (go: () => void) => () => {
    setErrors({})
    go()
  }

  return (
    <EditingContext value={editing}>
      <PageHeader
        title={workflow?.name ?? texts.newTitle}
        aside={aside}
        actions={
          <>
            {state.dirty && workflow ? (
              <Text size="sm" c="dimmed">
                {texts.unsaved}
              </Text>
            ) : null}
            <Back
              label={texts.undo}
              icon={<IconArrowBackUp size={18} />}
              onClick={state.undo && back(state.undo)}
            />
            <Back
              label={texts.redo}
              icon={<IconArrowForwardUp size={18} />}
              onClick={state.redo && back(state.redo)}
            />
            {actions?.(state.dirty)}
            <Button
              loading={saving}
              disabled={disabled || wrongLines > 0}
              // Not `disabled`: the focus stays after saving by key.
              data-disabled={nothingToSave || undefined}
              aria-disabled={nothingToSave || undefined}
              onClick={() => nothingToSave || save()}
            >
              {workflow ? texts.save : texts.create}
            </Button>
          </>
        }
      />
      <Stack gap="md">
        {hint ? (
          <Alert variant="outline" icon={<IconInfoCircle size={18} />} p="sm">
            {hint}
          </Alert>
        ) : null}
        {state.dirty ? null : <Warnings of={workflow} />}
        <FormErrors failure={failure} />
        <SegmentedControl
          className={classes.views}
          aria-label={texts.viewsLabel}
          value={view}
          onChange={(next) => onView(next as View)}
          data={views.map((each) => ({ value: each, label: texts.views[each] }))}
        />
        {view === 'canvas' || view === 'list' ? (
          <div className={classes.columns}>
            {view === 'list' ? (
              <StepList />
            ) : (
              <Suspense fallback={<Skeleton height={600} />}>
                <Canvas />
              </Suspense>
            )}
            <Pane />
          </div>
        ) : null}
        {view === 'yaml' ? (
          <Suspense fallback={<Skeleton height={400} />}>
            {connectors ? (
              <YamlView connectors={connectors} refused={refused} onProblems={setWrongLines} />
            ) : (
              <Skeleton height={400} />
            )}
          </Suspense>
        ) : null}
        {view === 'preview' ? <Preview workflow={workflow} unsaved={state.dirty} /> : null}
      </Stack>
      <LeaveGuard dirty={unsaved} />
    </EditingContext>
  )
}

/** Warnings of the saved workflow. */
function Warnings({ of }: { of: Workflow | undefined }) {
  if (!of || of.warnings.length === 0) return null
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconAlertTriangle size={18} />}
      p="sm"
      title={texts.warnings}
    >
      {of.warnings.map(({ code, message }) => (
        <Text key={code} size="sm">
          {sentence(message)}
        </Text>
      ))}
    </Alert>
  )
}

function Back({
  label,
  icon,
  onClick,
}: {
  label: string
  icon: ReactNode
  onClick: (() => void) | undefined
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="default"
        size={36}
        aria-label={label}
        // Not `disabled`: the focus stays after the last undo.
        data-disabled={onClick ? undefined : true}
        aria-disabled={onClick ? undefined : true}
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}
