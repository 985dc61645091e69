import { useLayoutEffect, useRef } from 'react'

/** A busy button is disabled and loses focus: restores it afterwards, unless it moved. */
export function useKeptFocus(busy: boolean): void {
  const from = useRef<Element | null>(null)
  // Before paint, while the focus is still there.
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
