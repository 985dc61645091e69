import type { Page } from 'playwright-core'

/** From the next load on, records layout shifts, policy violations and pointer presses. */
export async function observePage(page: Page): Promise<void> {
  await page.addInitScript(WATCH)
}

/** The summed layout shift since the page was loaded (CLS), and what moved. */
export async function layoutShifts(page: Page): Promise<{ sum: number; moved: string[] }> {
  const all = await page.evaluate<Shift[]>('globalThis.watched.shifts')
  return {
    sum: all.reduce((sum, { value }) => sum + value, 0),
    moved: all.map(({ value, what }) => `${value.toFixed(3)}: ${what}`),
  }
}

/** Pointer presses since the page was loaded. */
export function pointerPresses(page: Page): Promise<number> {
  return page.evaluate<number>('globalThis.watched.presses')
}

type Shift = { value: number; what: string }

// Runs before the page's own scripts.
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
