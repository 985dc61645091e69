import { createContext, use } from 'react'
import type { LoadingQuery } from '../../../components/loaded.tsx'
import type { FieldErrors } from '../../../service/errors.ts'
import type { ConnectorType } from '../../connectors/types.ts'
import type { Change } from '../draft/use-draft.ts'
import type { Draft, DraftNode, NodeType } from '../types.ts'

export type ChosenConnector = { name: string; type: ConnectorType | undefined; isSandbox: boolean }

/** Shared by all views: the draft, the chosen step and the errors. */
export type Editing = {
  draft: Draft
  change: Change
  /** `source`, `destination`, a node's key, or null for the workflow. */
  chosen: string | null
  /** The field to focus in the settings of the chosen step. */
  field: { name: string } | null
  choose: (key: string | null, field?: string) => void
  /** By field of the API: `name`, `source_id`, `{key of a node}.settings.overlap`. */
  errors: FieldErrors
  /** True for viewers. */
  disabled: boolean
  /** The chosen connectors with their types. */
  connectors: { source: ChosenConnector | undefined; destination: ChosenConnector | undefined }
  /** How all connectors are loaded. */
  loading: LoadingQuery
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

/** All steps from source to destination, in order. */
export function stepsOf({ nodes }: Draft): Step[] {
  return [
    { key: 'source', kind: 'source' },
    ...nodes.map((node) => ({ key: node.key, kind: node.type, node })),
    { key: 'destination', kind: 'destination' },
  ]
}

/** The step whose settings have the field; null for the workflow. */
export function stepOf(path: string, { nodes }: Draft): string | null {
  const [first = ''] = path.split('.')
  if (first === 'source_id' || first === 'destination_id') return first.replace('_id', '')
  return nodes.some(({ key }) => key === first) ? first : null
}

export function buttonId(key: string): string {
  return `open-${key}`
}

/** The YAML as a person typed it, with the draft that it belongs to. */
export type TypedText = { text: string; draft: Draft; problems: number }

/** Text with errors is kept until it is corrected or discarded. */
export function hasErrorsLeft(typed: TypedText | null): typed is TypedText {
  return typed !== null && typed.problems > 0
}

/** Whether the text still shows the draft; comments and order are kept then. */
export function isCurrent(typed: TypedText, draft: Draft): boolean {
  return typed.problems > 0 || typed.draft === draft
}
