import { useEffect } from 'react'

/** The window's title, so that tabs, histories and screen readers can tell the screens apart. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
}
