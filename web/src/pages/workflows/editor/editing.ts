import { createContext, use } from 'react'
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
  choose: (key: string | null) => void
  /** By path in the draft: `name`, `sourceId`, `{key}.settings.overlap`. */
  errors: FieldErrors
  /** True for viewers. */
  disabled: boolean
  /** The chosen connectors with their types. */
  connectors: { source: ChosenConnector | undefined; destination: ChosenConnector | undefined }
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

export function buttonId(key: string): string {
  return `open-${key}`
}

export function hasErrors(errors: FieldErrors, key: string): boolean {
  return Object.keys(errors).some((path) => path === `${key}Id` || path.startsWith(`${key}.`))
}
