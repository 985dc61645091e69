import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

// A colour in the middle of a transition is no colour of the design: waits two frames, then for the end of every
// animation, and again until nothing moves.
const SETTLED = `(async () => {
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const moving = document.getAnimations().filter((each) =>
      each.playState === 'running' && each.effect.getComputedTiming().iterations !== Infinity)
    if (moving.length === 0) return
    await Promise.allSettled(moving.map((each) => each.finished))
  }
})()`

/** What another scheme can break; all else is the same in both, and has been looked at. */
const ofColours = ['color-contrast', 'link-in-text-block']
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** Until nothing on the screen is in the middle of a change. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(SETTLED)
}

/** Holds a screen against WCAG 2.2 AA and good practice, and says which element breaks what. */
export async function audit(page: Page, what: 'all' | 'colours' = 'all'): Promise<void> {
  await settled(page)
  // By the debugger's door: as a script of the page its policy would rightly refuse it. Once for each document.
  if (!(await page.evaluate('"axe" in globalThis')))
    await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  const rules = what === 'all' ? { type: 'tag', values: tags } : { type: 'rule', values: ofColours }
  const found = await page.evaluate(async (runOnly) => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Only what is wrong is described in full, which saves a fifth of the time.
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'], selectors: false })
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n  ${failureSummary}`),
    )
  }, rules)
  assert.deepEqual(found, [], `${page.url()} has faults of accessibility`)
}

type Axe = {
  run(
    options: object,
  ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
}
