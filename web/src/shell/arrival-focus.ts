import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { isNowhere } from './kept-focus.ts'

// The address whose heading had its turn; none before the first screen, which is the browser's to focus.
let arrivedAt: string | undefined

/**
 * The heading of a screen takes the focus when somebody came there from another one: it is read out, and the next
 * key goes on from there. Who still is on something in the screen, a tab that changed the address, stays on it.
 */
export function useArrivalFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (!pathname || pathname === arrivedAt) return
    const first = arrivedAt === undefined
    arrivedAt = pathname
    const stays = !isNowhere() && document.activeElement?.closest('main')
    if (!first && !stays) heading.current?.focus({ preventScroll: true })
  }, [pathname])
  return heading
}

/** For what was done in a part of the screen that is made anew by it, and where the outcome is told above. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}
