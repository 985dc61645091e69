import { useState } from 'react'
import { useNotices } from '../../../components/notices.tsx'
import { ApiError, type FieldErrors } from '../../../service/errors.ts'
import { useApi } from '../../../service/session.ts'
import type { Workflow } from '../../../service/types.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { bodyOf, pipelineDiffers } from '../draft/draft.ts'
import type { DraftState } from '../draft/use-draft.ts'
import type { Draft } from '../types.ts'

const texts = workflowsTexts.editor

type Options = {
  state: DraftState
  id: string | undefined
  onErrors: (errors: FieldErrors) => void
  onSaved: (workflow: Workflow) => void | Promise<void>
}

type SaveFailure = { draft: Draft; failure: string; serviceErrors: FieldErrors }
const NO_ERRORS: FieldErrors = {}

/** Creates or changes the workflow, and maps errors to steps. */
export function useSaving({ state, id, onErrors, onSaved }: Options) {
  const api = useApi()
  const notices = useNotices()
  const [saving, setSaving] = useState(false)
  // Errors apply only to the draft that was sent.
  const [lastFailure, setLastFailure] = useState<SaveFailure>()
  const current = lastFailure?.draft === state.draft ? lastFailure : undefined

  function fail(errors: FieldErrors, failed: Omit<SaveFailure, 'draft'>): void {
    onErrors(errors)
    setLastFailure({ ...failed, draft: state.draft })
  }

  async function save(): Promise<void> {
    const { draft, saved } = state
    const { nameMissing } = workflowsTexts.form
    if (!draft.name.trim()) return fail({ name: nameMissing }, { failure: nameMissing, serviceErrors: {} })
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
      const own = error.code === 'name_taken' ? { name: error.message } : errorsByStep(draft, error.fields)
      const lines = Object.values(error.fields)
      const failure = lines.length > 0 ? `${texts.problems} ${lines.join(' ')}` : error.message
      fail(own, { failure, serviceErrors: error.fields })
    } finally {
      setSaving(false)
    }
  }

  return { save, saving, failure: current?.failure, serviceErrors: current?.serviceErrors ?? NO_ERRORS }
}

const draftFields: Record<string, string> = {
  source_id: 'sourceId',
  destination_id: 'destinationId',
  schedule_timezone: 'scheduleTimezone',
  permissions_schedule: 'permissionsSchedule',
  max_permission_age_hours: 'maxPermissionAgeHours',
  hide_in_index_after_hours: 'hideInIndexAfterHours',
}

/** `workflow_nodes.1.settings.overlap` becomes `{key of that node}.settings.overlap`. */
export function errorsByStep(draft: Draft, fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([path, message]) => {
      const [first, index, ...rest] = path.split('.')
      const field = draftFields[first ?? '']
      if (field) return [field, message]
      const key = first === 'workflow_nodes' ? draft.nodes[Number(index)]?.key : undefined
      return [key ? [key, ...rest].join('.') : path, message]
    }),
  )
}
