import { useLayoutEffect, useRef } from 'react'

/** A busy button is disabled and loses focus: restores it afterwards, unless it moved. */
export function useRestoredFocus(busy: boolean): void {
  const from = useRef<Element | null>(null)
  // Before paint, while the focus is still there.
  useLayoutEffect(() => {
    if (busy) {
      from.current = document.activeElement
      return
    }
    const element = from.current
    from.current = null
    if (isFocusLost() && element instanceof HTMLElement && element.isConnected) element.focus()
  }, [busy])
}

export function isFocusLost(): boolean {
  return document.activeElement === null || document.activeElement === document.body
}
