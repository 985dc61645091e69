import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { focusField } from './labels.ts'

/** Focuses the field that the address names after `#`, and opens what hides it. */
export function useLinkedField(): void {
  const name = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => {
    const main = document.querySelector('main')
    if (name && main) focusField(name, main)
  }, [name])
}
