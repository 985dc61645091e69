import { useLayoutEffect, useRef } from 'react'

/**
 * A button that is busy is disabled, and what is disabled loses the focus: gives it back once it is not, unless it
 * went somewhere else in the meantime.
 */
export function useKeptFocus(busy: boolean): void {
  const from = useRef<Element | null>(null)
  // Before the browser draws, when the focus is still where it was.
  useLayoutEffect(() => {
    if (busy) {
      from.current = document.activeElement
      return
    }
    const before = from.current
    from.current = null
    if (isNowhere() && before instanceof HTMLElement && before.isConnected) before.focus()
  }, [busy])
}

export function isNowhere(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
