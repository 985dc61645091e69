import type { Page } from 'playwright-core'

/** From the next load on, remembers what moved by itself, what the policy refused and how often a pointer was pressed. */
export async function watch(page: Page): Promise<void> {
  await page.addInitScript(WATCH)
}

/** How much of the screen moved by itself since it was loaded (CLS, summed), and what moved. */
export async function shifts(page: Page): Promise<{ sum: number; moved: string[] }> {
  const all = await page.evaluate<Shift[]>('globalThis.watched.shifts')
  return {
    sum: all.reduce((sum, { value }) => sum + value, 0),
    moved: all.map(({ value, what }) => `${value.toFixed(3)}: ${what}`),
  }
}

/** How often a pointer was pressed on this page since it was loaded; none in what is done by keyboard alone. */
export function presses(page: Page): Promise<number> {
  return page.evaluate<number>('globalThis.watched.presses')
}

type Shift = { value: number; what: string }

// Before the page's own scripts. A breach of the policy becomes an error, which the browser counts as a failure.
const WATCH = `
  globalThis.watched = { shifts: [], presses: 0 }
  addEventListener('pointerdown', () => watched.presses++, true)
  addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
    console.error('the policy refused ' + violatedDirective + ': ' + blockedURI + ' ' + sample))
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      watched.shifts.push({ value, what: sources.map(({ node }) =>
        (node?.parentElement ?? node)?.outerHTML?.slice(0, 160) ?? 'something gone').join(' | ') })
    }
  }).observe({ type: 'layout-shift', buffered: true })
`
