import {
  ActionIcon,
  Alert,
  Button,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Tooltip,
} from '@mantine/core'
import { IconAlertTriangle, IconArrowBackUp, IconArrowForwardUp, IconInfoCircle } from '@tabler/icons-react'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { FormErrors } from '../../../components/form-errors.tsx'
import { Loaded } from '../../../components/loaded.tsx'
import { PageHeader } from '../../../components/page-header.tsx'
import type { Workflow } from '../../../service/types.ts'
import { useRestoredFocus } from '../../../shell/restored-focus.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { sentence, warningWords } from '../../jobs/error-advice.ts'
import { useDraft } from '../draft/use-draft.ts'
import { Preview } from '../preview/preview.tsx'
import { type Draft, type View, views } from '../types.ts'
import { EditingContext, hasErrorsLeft, type TypedText } from './editing.ts'
import classes from './editor.module.css'
import { LeaveGuard } from './leave-guard.tsx'
import { Pane } from './pane.tsx'
import { StepList } from './step-list.tsx'
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
  const { editing, setErrors, connectors } = useEditingState(state, {
    disabled: disabled || locked,
    isShown: view !== 'overview',
  })
  const unsaved = useRef(false)
  const { save, saving, failure, serviceErrors } = useSaving({
    state,
    id: workflow?.id,
    onErrors: setErrors,
    onGo: (step, field) => {
      onView('steps')
      editing.choose(step, field)
    },
    onSaved: async (saved) => {
      unsaved.current = false
      await onSaved(saved)
    },
  })
  unsaved.current = (state.dirty && !saving) || pending !== null
  useRestoredFocus(saving)
  const nothingToSave = workflow !== undefined && !state.dirty && !saving
  // Appears with the first change, and stays: the focus may be on it.
  const wasEdited = !workflow || pending !== null || Boolean(state.undo ?? state.redo)
  const clearingErrors = (go: (() => void) | undefined) =>
    go && !pending
      ? () => {
          setErrors({})
          go()
        }
      : undefined

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
            {state.undo || state.redo ? (
              <>
                <HistoryButton label={texts.undo} onClick={clearingErrors(state.undo)}>
                  <IconArrowBackUp size={18} />
                </HistoryButton>
                <HistoryButton label={texts.redo} onClick={clearingErrors(state.redo)}>
                  <IconArrowForwardUp size={18} />
                </HistoryButton>
              </>
            ) : null}
            {actions?.(state.dirty || pending !== null)}
            {wasEdited ? (
              <Button
                loading={saving}
                disabled={disabled || pending !== null}
                // Not `disabled`: the focus stays after saving by key.
                data-disabled={nothingToSave || undefined}
                aria-disabled={nothingToSave || undefined}
                onClick={() => nothingToSave || save()}
              >
                {workflow ? texts.save : texts.create}
              </Button>
            ) : null}
          </>
        }
      />
      <Stack gap="md">
        {hint ? (
          <Alert variant="outline" icon={<IconInfoCircle size={18} />} p="sm">
            {hint}
          </Alert>
        ) : null}
        {state.dirty ? null : <Warnings workflow={workflow} />}
        <FormErrors failure={failure} />
        <SegmentedControl
          className={classes.views}
          aria-label={texts.viewsLabel}
          value={view}
          onChange={(next) => onView(next as View)}
          data={views
            .filter((each) => overview || each !== 'overview')
            .map((each) => ({ value: each, label: texts.views[each] }))}
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
            <Loaded query={connectors} size={400}>
              {([sources, destinations]) => (
                <YamlView
                  sources={sources}
                  destinations={destinations}
                  serviceErrors={serviceErrors}
                  typed={typed}
                  onTyped={setTyped}
                />
              )}
            </Loaded>
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
    <WarningAlert title={texts.warnings}>
      {workflow.warnings.map(({ code, message }) => (
        <Text key={code} size="sm">
          {sentence(warningWords(code, message))}
        </Text>
      ))}
    </WarningAlert>
  )
}

type PendingProps = { problems: number; onEdit: () => void; onDiscard: () => void }

/** Other views cannot show text with errors, so a person chooses what happens to it. */
function PendingYaml({ problems, onEdit, onDiscard }: PendingProps) {
  const { title, text, edit, discard } = workflowsTexts.yaml.pending
  return (
    <WarningAlert title={title(problems)}>
      <Text size="sm">{text}</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={onEdit}>
          {edit}
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          {discard}
        </Button>
      </Group>
    </WarningAlert>
  )
}

function WarningAlert({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconAlertTriangle size={18} />}
      p="sm"
      title={title}
    >
      {children}
    </Alert>
  )
}

type HistoryButtonProps = { label: string; onClick: (() => void) | undefined; children: ReactNode }

function HistoryButton({ label, onClick, children }: HistoryButtonProps) {
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
        {children}
      </ActionIcon>
    </Tooltip>
  )
}
