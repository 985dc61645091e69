import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

/** Focuses the field that the address names after `#`, and opens what hides it. */
export function useLinkedField(): void {
  const name = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => {
    if (!name) return
    const own = CSS.escape(name)
    const field = document.querySelector<HTMLElement>(`main [name="${own}"], main [name$=".${own}"]`)
    if (!field) return
    const hiding = field.closest('details')
    if (hiding) hiding.open = true
    field.scrollIntoView({ block: 'center' })
    field.focus({ preventScroll: true })
  }, [name])
}
