import { useCallback, useMemo, useState } from 'react'
import type { Draft } from '../types.ts'
import { isSame } from './draft.ts'

type History = { past: Draft[]; now: Draft; future: Draft[]; field: string }

const MAX_UNDO = 100

/** A draft with undo; consecutive changes to one field undo together. */
export function useDraft(initial: Draft) {
  const [saved, setSaved] = useState(initial)
  const [history, setHistory] = useState<History>({ past: [], now: initial, future: [], field: '' })

  const change = useCallback((field: string, next: (draft: Draft) => Draft) => {
    setHistory((previous) => {
      const now = next(previous.now)
      if (now === previous.now) return previous
      const past =
        field && field === previous.field ? previous.past : [...previous.past, previous.now].slice(-MAX_UNDO)
      return { past, now, future: [], field }
    })
  }, [])
  const undo = useCallback(() => {
    setHistory((previous) => {
      const now = previous.past.at(-1)
      return now
        ? { past: previous.past.slice(0, -1), now, future: [previous.now, ...previous.future], field: '' }
        : previous
    })
  }, [])
  const redo = useCallback(() => {
    setHistory((previous) => {
      const [now, ...future] = previous.future
      return now ? { past: [...previous.past, previous.now], now, future, field: '' } : previous
    })
  }, [])

  const { now: draft, past, future } = history
  const dirty = useMemo(() => !isSame(draft, saved), [draft, saved])
  return {
    draft,
    saved,
    dirty,
    change,
    undo: past.length > 0 ? undo : undefined,
    redo: future.length > 0 ? redo : undefined,
    markSaved: setSaved,
  }
}

export type DraftState = ReturnType<typeof useDraft>
/** Consecutive changes with the same first argument undo together. */
export type Change = DraftState['change']
