import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef } from 'react'
import { isFocusLost } from './restored-focus.ts'

// The last focused address; the browser handles the first screen.
let lastPath: string | undefined

/**
 * Focuses the heading after a change of screen, so that it is read out. Skips if the focus is already inside.
 */
export function useHeadingFocus(): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null)
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (!pathname || pathname === lastPath) return
    const first = lastPath === undefined
    lastPath = pathname
    const isInside = !isFocusLost() && document.activeElement?.closest('main')
    if (!first && !isInside) heading.current?.focus({ preventScroll: true })
  }, [pathname])
  return heading
}

/** For actions that replace their part of the screen. */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}
