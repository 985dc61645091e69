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

type SaveFailure = { of: Draft; failure: string; refused: FieldErrors }
const NO_ERRORS: FieldErrors = {}

/** Creates or changes the workflow, and maps errors to steps. */
export function useSaving({ state, id, onErrors, onSaved }: Options) {
  const api = useApi()
  const notices = useNotices()
  const [saving, setSaving] = useState(false)
  // Errors apply only to the draft that was sent.
  const [outcome, setOutcome] = useState<SaveFailure>()
  const current = outcome?.of === state.draft ? outcome : undefined

  function fail(errors: FieldErrors, failed: Omit<SaveFailure, 'of'>): void {
    onErrors(errors)
    setOutcome({ ...failed, of: state.draft })
  }

  async function save(): Promise<void> {
    const { draft, saved } = state
    const { nameMissing } = workflowsTexts.form
    if (!draft.name.trim()) return fail({ name: nameMissing }, { failure: nameMissing, refused: {} })
    onErrors({})
    setOutcome(undefined)
    setSaving(true)
    try {
      const body = bodyOf(draft)
      const workflow = id
        ? await api.put<Workflow>(`/workflows/${id}`, body)
        : await api.post<Workflow>('/workflows', body)
      state.markSaved(draft)
      const rework = id && pipelineDiffers(draft, saved) ? ` ${texts.savedNodes}` : ''
      notices.good(texts.saved(workflow.name) + rework)
      await api.refresh('/workflows')
      await onSaved(workflow)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const own = error.code === 'name_taken' ? { name: error.message } : placesIn(draft, error.fields)
      const lines = Object.values(error.fields)
      const failure = lines.length > 0 ? `${texts.problems} ${lines.join(' ')}` : error.message
      fail(own, { failure, refused: error.fields })
    } finally {
      setSaving(false)
    }
  }

  return { save, saving, failure: current?.failure, refused: current?.refused ?? NO_ERRORS }
}

/** `workflow_nodes.1.settings.overlap` becomes `{key of that node}.settings.overlap`. */
export function placesIn(draft: Draft, fields: FieldErrors): FieldErrors {
  return Object.fromEntries(
    Object.entries(fields).map(([place, message]) => {
      const [first, index, ...rest] = place.split('.')
      if (first === 'source_id') return ['sourceId', message]
      if (first === 'destination_id') return ['destinationId', message]
      const key = first === 'workflow_nodes' ? draft.nodes[Number(index)]?.key : undefined
      return [key ? [key, ...rest].join('.') : place, message]
    }),
  )
}
