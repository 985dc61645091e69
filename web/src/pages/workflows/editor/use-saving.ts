import { useState } from 'react'
import { useNotices } from '../../../components/notices.tsx'
import type { FormFailure } from '../../../schema-form/form.ts'
import { type Labels, lastName, withLabels } from '../../../schema-form/labels.ts'
import { ApiError, type FieldErrors } from '../../../service/errors.ts'
import { useApi } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { bodyOf, pipelineDiffers } from '../draft/draft.ts'
import { settingFields, subtypeOf } from '../draft/node-subtypes.ts'
import type { DraftState } from '../draft/use-draft.ts'
import type { Draft } from '../types.ts'
import { stepOf } from './editing.ts'

const { editor: texts, form, schedule } = workflowsTexts

type Options = {
  state: DraftState
  id: string | undefined
  onErrors: (errors: FieldErrors) => void
  /** Leads to a field of a step; null for the workflow. */
  onGo: (step: string | null, field: string) => void
  onSaved: (workflow: Workflow) => void | Promise<void>
}

type SaveFailure = { draft: Draft; failure: FormFailure; serviceErrors: FieldErrors }
const NO_ERRORS: FieldErrors = {}

/** Creates or changes the workflow, and maps errors to steps. */
export function useSaving({ state, id, onErrors, onGo, onSaved }: Options) {
  const api = useApi()
  const notices = useNotices()
  const [saving, setSaving] = useState(false)
  // Errors apply only to the draft that was sent.
  const [lastFailure, setLastFailure] = useState<SaveFailure>()
  const current = lastFailure?.draft === state.draft ? lastFailure : undefined

  function fail(
    found: FieldErrors,
    { text, serviceErrors = {} }: { text?: string; serviceErrors?: FieldErrors },
  ) {
    const { draft } = state
    const labels = labelsOf(draft)
    const shown = Object.entries(found).map(
      ([path, message]) => [path, withLabels(message, path, labels)] as const,
    )
    onErrors(Object.fromEntries(shown))
    const problems = shown.map(([path, problem]) => {
      const step = stepOf(path, draft)
      const node = draft.nodes.find(({ key }) => key === step)
      const name = node?.name ?? labels[path] ?? ''
      return { name, text: problem, go: () => onGo(step, lastName(path)) }
    })
    setLastFailure({ draft, failure: { text: text ?? shellTexts.fixErrors, problems }, serviceErrors })
  }

  async function save(): Promise<void> {
    const { draft, saved } = state
    if (!draft.name.trim()) return fail({ name: form.nameMissing }, {})
    onErrors({})
    setLastFailure(undefined)
    setSaving(true)
    try {
      const body = bodyOf(draft)
      const workflow = id
        ? await api.put<Workflow>(`/workflows/${id}`, body)
        : await api.post<Workflow>('/workflows', body)
      state.markSaved(draft)
      const nodesNotice = id && pipelineDiffers(draft, saved) ? ` ${texts.savedNodes}` : ''
      notices.success(texts.saved(workflow.name) + nodesNotice)
      await api.refresh('/workflows')
      await onSaved(workflow)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const serviceErrors = error.fields
      if (error.code === 'name_taken') fail({ name: error.message }, {})
      else if (Object.keys(serviceErrors).length > 0)
        fail(errorsByStep(draft, serviceErrors), { serviceErrors })
      else fail({}, { text: error.message })
    } finally {
      setSaving(false)
    }
  }

  return { save, saving, failure: current?.failure, serviceErrors: current?.serviceErrors ?? NO_ERRORS }
}

/** Of the workflow, and of the settings of its nodes. */
function labelsOf({ nodes }: Draft): Labels {
  const { permissions } = form
  const settings = nodes.flatMap((node) => settingFields(subtypeOf(node)))
  return {
    ...Object.fromEntries(settings.map(({ name, title }) => [name, title])),
    name: form.name,
    source_id: form.source,
    destination_id: form.destination,
    schedule: schedule.label,
    schedule_timezone: schedule.zone,
    permissions_schedule: permissions.schedule,
    max_permission_age_hours: permissions.maxAge.label,
    hide_in_index_after_hours: permissions.hideInIndex.label,
  }
}

/** `workflow_nodes.1.settings.overlap` becomes `{key of that node}.settings.overlap`. */
export function errorsByStep(draft: Draft, fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([path, message]) => {
      const [first, index, ...rest] = path.split('.')
      const key = first === 'workflow_nodes' ? draft.nodes[Number(index)]?.key : undefined
      return [key ? [key, ...rest].join('.') : path, message]
    }),
  )
}
