import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// Colours cannot be checked during a transition: waits until nothing moves.
const SETTLED = `(async () => {
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const moving = document.getAnimations().filter((each) =>
      each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity)
    if (moving.length === 0) return
    await Promise.allSettled(moving.map((each) => each.finished))
  }
})()`

/** Only these rules depend on the colour scheme. */
const ofColours = ['color-contrast', 'link-in-text-block']
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Until no transition is running. */
export async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(SETTLED)
}

/** Checks a screen against WCAG 2.2 AA and good practice, and names the failing elements. */
export async function auditAccessibility(page: Page, what: 'all' | 'colours' = 'all'): Promise<void> {
  await waitForTransitions(page)
  // Over the debugging protocol, because the page's policy refuses the script.
  if (!(await page.evaluate('"axe" in globalThis')))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const rules = what === 'all' ? { type: 'tag', values: tags } : { type: 'rule', values: ofColours }
  const found = await page.evaluate(async (runOnly) => {
    const { axe, document } = globalThis as unknown as { axe: Axe; document: Document }
    const modal = document.querySelector('[aria-modal=true]')
    // Describing only violations saves a fifth of the time.
    const { violations } = await axe.run({
      ...{ runOnly, resultTypes: ['violations'], selectors: false, elementRef: true },
    })
    return violations.flatMap(({ id, nodes }) =>
      nodes
        // A dialog blocks the targets that it covers in part.
        .filter(({ element }) => id !== 'target-size' || !modal || modal.contains(element))
        .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n  ${failureSummary}`),
    )
  }, rules)
  assert.deepEqual(found, [], `${page.url()} has accessibility violations`)
}

type Axe = {
  run(options: object): Promise<{ violations: { id: string; nodes: ViolatingNode[] }[] }>
}
type ViolatingNode = { html: string; failureSummary: string; element: unknown }
type Document = { querySelector(selector: string): { contains(element: unknown): boolean } | null }
