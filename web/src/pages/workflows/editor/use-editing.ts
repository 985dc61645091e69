import { useState } from 'react'
import { every } from '../../../components/loaded.tsx'
import { useNotices } from '../../../components/notices.tsx'
import type { FieldErrors } from '../../../service/errors.ts'
import { workflowsTexts } from '../../../texts/workflows.ts'
import { useConnectors } from '../../connectors/queries.ts'
import { useTypeOf } from '../../connectors/source-terms.ts'
import type { Connector } from '../../connectors/types.ts'
import { newNode, subtypeOptions } from '../draft/node-subtypes.ts'
import { moved } from '../draft/order.ts'
import type { Change, DraftState } from '../draft/use-draft.ts'
import { useProviders } from '../queries.ts'
import type { Draft, NodeType } from '../types.ts'
import { buttonId, type ChosenConnector, type Editing } from './editing.ts'

const texts = workflowsTexts.editor
const NONE = { chosen: null, field: null }

/** The edits of all views, with announcements and focus handling. */
export function useEditingState(
  state: DraftState,
  { disabled, isShown }: { disabled: boolean; isShown: boolean },
) {
  const { draft } = state
  const notices = useNotices()
  const [{ chosen, field }, setChosen] = useState<Pick<Editing, 'chosen' | 'field'>>(NONE)
  const [errors, setErrors] = useState<FieldErrors>({})
  const connectors = every(useConnectors('source', isShown), useConnectors('destination', isShown))
  const [sources, destinations] = connectors.data ?? []
  const sourceType = useTypeOf('source', isShown)
  const destinationType = useTypeOf('destination', isShown)
  const providers = useProviders(isShown)

  const change: Change = (field, next) => {
    state.change(field, next)
    // An error stays until its step changes.
    setErrors((all) => withoutErrorsOf(all, field))
  }
  const edit = (next: (nodes: Draft['nodes']) => Draft['nodes']) =>
    change('', (now) => ({ ...now, nodes: next(now.nodes) }))

  const editing: Editing = {
    draft,
    change,
    chosen,
    field,
    choose: (key, name) => {
      setChosen({ chosen: key, field: name === undefined ? null : { name } })
      if (key === null && chosen && !name) focusAfterRender(chosen)
    },
    errors,
    disabled,
    connectors: {
      source: chosenOf(sources, draft.sourceId, sourceType),
      destination: chosenOf(destinations, draft.destinationId, destinationType),
    },
    loading: connectors,
    add: (type: NodeType, index: number) => {
      const node = newNode(
        type,
        subtypeOptions(type, providers, '').find(({ missing }) => missing === null)?.subtype,
      )
      edit((nodes) => nodes.toSpliced(index, 0, node))
      setChosen({ chosen: node.key, field: null })
      notices.announce(texts.added(node.name))
    },
    remove: (key) => {
      const index = draft.nodes.findIndex((node) => node.key === key)
      const before = draft.nodes[index - 1]?.key ?? 'source'
      edit((nodes) => nodes.filter((node) => node.key !== key))
      setChosen(NONE)
      notices.announce(texts.removed(draft.nodes[index]?.name ?? ''))
      focusAfterRender(before)
    },
    move: (key, by) => {
      const index = draft.nodes.findIndex((node) => node.key === key)
      const next = moved(draft.nodes, index, by)
      if (!next) return
      edit(() => next)
      notices.announce(texts.moved(draft.nodes[index]?.name ?? '', index + by + 1))
    },
  }
  return { editing, setErrors, connectors }
}

function chosenOf(
  connectors: Connector[] | undefined,
  id: string | null,
  typeOf: ReturnType<typeof useTypeOf>,
): ChosenConnector | undefined {
  const connector = connectors?.find((each) => each.id === id)
  return connector && { name: connector.name, type: typeOf(id), isSandbox: connector.sandbox === true }
}

function focusAfterRender(key: string): void {
  requestAnimationFrame(() => document.getElementById(buttonId(key))?.focus())
}

function withoutErrorsOf(errors: FieldErrors, field: string): FieldErrors {
  const [subject] = field.split('.')
  const remaining = Object.entries(errors).filter(([path]) => path.split('.')[0] !== subject)
  return remaining.length === Object.keys(errors).length ? errors : Object.fromEntries(remaining)
}
