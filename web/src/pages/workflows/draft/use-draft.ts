import { useCallback, useMemo, useState } from 'react'
import type { Draft } from '../types.ts'
import { isSame } from './draft.ts'

type History = { past: Draft[]; now: Draft; future: Draft[]; about: string }

const MAX_UNDO = 100

/** A draft with undo; consecutive changes to one field undo together. */
export function useDraft(initial: Draft) {
  const [saved, setSaved] = useState(initial)
  const [history, setHistory] = useState<History>({ past: [], now: initial, future: [], about: '' })

  const change = useCallback((about: string, next: (draft: Draft) => Draft) => {
    setHistory((was) => {
      const now = next(was.now)
      if (now === was.now) return was
      const past = about && about === was.about ? was.past : [...was.past, was.now].slice(-MAX_UNDO)
      return { past, now, future: [], about }
    })
  }, [])
  const undo = useCallback(() => {
    setHistory((was) => {
      const now = was.past.at(-1)
      return now ? { past: was.past.slice(0, -1), now, future: [was.now, ...was.future], about: '' } : was
    })
  }, [])
  const redo = useCallback(() => {
    setHistory((was) => {
      const [now, ...future] = was.future
      return now ? { past: [...was.past, was.now], now, future, about: '' } : was
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
