import { useEffect } from 'react'

/** Names the screen in tabs, history and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
}
