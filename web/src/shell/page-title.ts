import { useEffect } from 'react'

/** Tells screens apart in tabs, history and screen readers. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Millrace`
  }, [title])
}
