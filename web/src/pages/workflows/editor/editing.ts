import { createContext, use } from 'react'
import type { FieldErrors } from '../../../service/errors.ts'
import type { Change } from '../draft/use-draft.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'

/** What the views of a workflow share: one draft, one chosen step, and what was said against it. */
export type Editing = {
  draft: Draft
  change: Change
  /** `source`, `destination`, the key of a step, or null for the workflow as a whole. */
  chosen: string | null
  choose: (key: string | null) => void
  /** By the place in the draft: `name`, `sourceId`, `{key}.settings.overlap`. */
  errors: FieldErrors
  /** A person who may only look. */
  disabled: boolean
  /** What the chosen source and destination are called. */
  names: { source: string | undefined; destination: string | undefined }
  add: (type: NodeType, index: number) => void
  remove: (key: string) => void
  move: (key: string, by: 1 | -1) => void
}

export const EditingContext = createContext<Editing | null>(null)

export function useEditing(): Editing {
  const editing = use(EditingContext)
  if (!editing) throw new Error('useEditing outside the editor')
  return editing
}

export type Step =
  | { key: 'source' | 'destination'; kind: 'source' | 'destination'; node?: undefined }
  | { key: string; kind: NodeType; node: DraftNode }

/** Everything between the wiki and the index, in the order of work. */
export function stepsOf({ nodes }: Draft): Step[] {
  return [
    { key: 'source', kind: 'source' },
    ...nodes.map((node) => ({ key: node.key, kind: node.type, node })),
    { key: 'destination', kind: 'destination' },
  ]
}

export function buttonId(key: string): string {
  return `open-${key}`
}

/** Whether something was said against a step. */
export function isWrong(errors: FieldErrors, key: string): boolean {
  return Object.keys(errors).some((place) => place === `${key}Id` || place.startsWith(`${key}.`))
}
