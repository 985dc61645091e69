import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { holds } from './settled.ts'

// More than the longest screen of a journey has.
const MAX_STOPS = 120

/** Tabs from control to control and checks that the focus is visible. */
export function keyboard(page: () => Page) {
  const press = (...keys: string[]) => forEachInTurn(keys, (key) => page().keyboard.press(key))

  /** Tabs until it has the focus, which must be visible. */
  async function to(target: Locator): Promise<void> {
    // Some controls are drawn by an adjacent element and have no size.
    await target.waitFor({ state: 'attached' })
    for (let stops = 0; stops < MAX_STOPS; stops++) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) {
        assert.ok(await isFocusVisible(page()), `the focus is not visible on ${target}`)
        return
      }
      await press('Tab')
    }
    assert.fail(`${target} is not reachable with the Tab key`)
  }

  return {
    press,
    to,
    async enter(target: Locator): Promise<void> {
      await to(target)
      await press('Enter')
    },
    async type(target: Locator, text: string): Promise<void> {
      await to(target)
      await press('Control+a')
      await page().keyboard.type(text)
    },
    /** Opens a list and chooses its first entry. */
    async chooseFirst(target: Locator): Promise<void> {
      await to(target)
      await press('Enter')
      await page().getByRole('option').first().waitFor()
      // An opened list resets its selection in a timer, which runs before this one.
      await page().evaluate('new Promise((resolve) => setTimeout(resolve))')
      await press('ArrowDown', 'Enter')
      await holds(async () => assert.notEqual(await target.inputValue(), ''))
    },
    /** Waits until it has the focus without a key press. */
    async waitForFocus(target: Locator): Promise<void> {
      await target.and(page().locator(':focus')).waitFor({ state: 'attached' })
      assert.ok(await isFocusVisible(page()), `the focus is not visible on ${target}`)
    },
  }
}

async function forEachInTurn<T>(all: T[], work: (each: T) => Promise<void>): Promise<void> {
  for (const each of all) await work(each)
}

/** By its own outline, or that of its container or visible part. */
function isFocusVisible(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const at = document.activeElement
    if (!at || at === document.body || !at.matches(':focus-visible')) return false
    const near = [at, at.nextElementSibling, at.parentElement, at.parentElement?.parentElement].filter(Boolean)
    const looks = [...near.map((each) => getComputedStyle(each)), getComputedStyle(at, '::after')]
    return looks.some((look) => look.outlineStyle !== 'none' && parseFloat(look.outlineWidth) >= 2)
  })()`)
}
