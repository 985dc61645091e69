import { ActionIcon, Alert, Button, SegmentedControl, Skeleton, Stack, Text, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconArrowForwardUp, IconInfoCircle } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { FormErrors } from '../../../components/form-errors.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import type { Workflow } from '../../../service/types.ts'
import { useRestoredFocus } from '../../../shell/restored-focus.ts'
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
import { PendingYaml } from './pending-yaml.tsx'
import { StepList } from './step-list.tsx'
import { hasErrorsLeft, type TypedText } from './typed-text.ts'
import { useEditingState } from './use-editing.ts'
import { useSaving } from './use-saving.ts'

// The editor component is large, so it loads on demand.
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
  /** Next to the title. */
  aside?: ReactNode
  /** Before Save; gets whether there are unsaved changes. */
  actions?: (unsaved: boolean) => ReactNode
  /** What the saved workflow does; a new one has none. */
  overview?: ReactNode
}

/** One draft in several views. */
export function Editor(props: Props) {
  const { initial, workflow, view, onView, onSaved, disabled, hint, aside, actions, overview } = props
  const state = useDraft(initial)
  const [typed, setTyped] = useState<TypedText | null>(null)
  const pending = hasErrorsLeft(typed) ? typed : null
  const locked = pending !== null && view !== 'yaml'
  const { editing, setErrors, connectors } = useEditingState(state, disabled || locked)
  const unsaved = useRef(false)
  const { save, saving, failure, serviceErrors } = useSaving({
    state,
    id: workflow?.id,
    onErrors: setErrors,
    onSaved: async (saved) => {
      unsaved.current = false
      await onSaved(saved)
    },
  })
  unsaved.current = (state.dirty && !saving) || pending !== null
  useRestoredFocus(saving)
  const nothingToSave = workflow !== undefined && !state.dirty && !saving
  const clearingErrors = (go: (() => void) | undefined) =>
    go && !pending
      ? () => {
          setErrors({})
          go()
        }
      : undefined
  const shownViews = views.filter((each) => overview || each !== 'overview')

  return (
    <EditingContext value={editing}>
      <PageHeader
        title={workflow?.name ?? texts.newTitle}
        aside={aside}
        actions={
          <>
            {(state.dirty || pending) && workflow ? (
              <Text size="sm" c="dimmed">
                {texts.unsaved}
              </Text>
            ) : null}
            <HistoryButtons undo={clearingErrors(state.undo)} redo={clearingErrors(state.redo)} />
            {actions?.(state.dirty || pending !== null)}
            <SaveButton
              label={workflow ? texts.save : texts.create}
              saving={saving}
              disabled={disabled || pending !== null}
              nothingToSave={nothingToSave}
              onSave={save}
            />
          </>
        }
      />
      <Stack gap="md">
        {hint ? <Hint text={hint} /> : null}
        {state.dirty ? null : <Warnings workflow={workflow} />}
        <FormErrors failure={failure} />
        <SegmentedControl
          className={classes.views}
          aria-label={texts.viewsLabel}
          value={view}
          onChange={(next) => onView(next as View)}
          data={shownViews.map((each) => ({ value: each, label: texts.views[each] }))}
        />
        {pending && locked ? (
          <PendingYaml
            problems={pending.problems}
            onEdit={() => onView('yaml')}
            onDiscard={() => setTyped(null)}
          />
        ) : null}
        {view === 'overview' ? overview : null}
        {view === 'steps' ? (
          <div className={classes.columns}>
            <StepList />
            <Pane />
          </div>
        ) : null}
        {view === 'yaml' ? (
          <Suspense fallback={<Skeleton height={400} />}>
            {connectors ? (
              <YamlView
                connectors={connectors}
                serviceErrors={serviceErrors}
                typed={typed}
                onTyped={setTyped}
              />
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
function Warnings({ workflow }: { workflow: Workflow | undefined }) {
  if (!workflow || workflow.warnings.length === 0) return null
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconAlertTriangle size={18} />}
      p="sm"
      title={texts.warnings}
    >
      {workflow.warnings.map(({ code, message }) => (
        <Text key={code} size="sm">
          {sentence(message)}
        </Text>
      ))}
    </Alert>
  )
}

function Hint({ text }: { text: string }) {
  return (
    <Alert variant="outline" icon={<IconInfoCircle size={18} />} p="sm">
      {text}
    </Alert>
  )
}

type SaveButtonProps = {
  label: string
  saving: boolean
  disabled: boolean
  nothingToSave: boolean
  onSave: () => void
}

function SaveButton({ label, saving, disabled, nothingToSave, onSave }: SaveButtonProps) {
  return (
    <Button
      loading={saving}
      disabled={disabled}
      // Not `disabled`: the focus stays after saving by key.
      data-disabled={nothingToSave || undefined}
      aria-disabled={nothingToSave || undefined}
      onClick={() => nothingToSave || onSave()}
    >
      {label}
    </Button>
  )
}

type History = Record<'undo' | 'redo', (() => void) | undefined>

function HistoryButtons({ undo, redo }: History) {
  return (
    <>
      <HistoryButton label={texts.undo} icon={<IconArrowBackUp size={18} />} onClick={undo} />
      <HistoryButton label={texts.redo} icon={<IconArrowForwardUp size={18} />} onClick={redo} />
    </>
  )
}

function HistoryButton({
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
