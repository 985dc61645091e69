import type { Locator, Page } from 'playwright-core'

type Text = string | RegExp

/** Finds elements by their accessible names; queries the page each time. */
export function finders(page: () => Page) {
  const clipboard = () => page().evaluate<string>('navigator.clipboard.readText()')
  /** A copy button says for two seconds that it copied, so the page itself watches for it. */
  async function copies(what: string, press: () => Promise<void>): Promise<void> {
    await Promise.all([page().evaluate(watchFor(`[aria-label="Copied ${what}"]`)), press()])
  }
  return {
    heading: (name: Text) => page().getByRole('heading', { level: 1, name }).waitFor(),
    button: (name: Text): Locator => page().getByRole('button', { name, exact: true }),
    /** By its label, with or without the star of a required field. */
    field: (name: string): Locator => page().getByLabel(new RegExp(`^${name}( \\*)?$`)),
    /** Text on the screen itself, not in a notice above it. */
    showsText: (text: Text) => page().locator('#main').getByText(text).first().waitFor(),
    /** Text in a notice: some are shown, all are read out. */
    showsNotice: (text: Text) => page().getByText(text).first().waitFor({ state: 'attached' }),
    dialog: (name?: Text): Locator => page().getByRole('dialog', name === undefined ? {} : { name }),
    async choose(label: string, option: string): Promise<void> {
      await page().getByRole('combobox', { name: label }).click()
      await page().getByRole('option', { name: option }).click()
    },
    async menu(of: string, item: string): Promise<void> {
      await page()
        .getByRole('button', { name: `More actions for ${of}`, exact: true })
        .click()
      await page().getByRole('menuitem', { name: item }).click()
    },
    copies,
    /** Copies with its button and returns the text. */
    async copy(what: string, inside: Page | Locator = page()): Promise<string> {
      await copies(what, () => inside.getByRole('button', { name: `Copy ${what}`, exact: true }).click())
      return clipboard()
    },
    clipboard,
    /** The name of the focused field. */
    focused: () => page().evaluate<string>('document.activeElement.name'),
  }
}

const WATCH_MS = 60_000

/** Not `waitForFunction`: the page's policy refuses it after its first look. */
function watchFor(selector: string): string {
  return `new Promise((resolve, reject) => {
    const end = Date.now() + ${WATCH_MS}
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)})) resolve()
      else if (Date.now() > end) reject(new Error('never shown'))
      else requestAnimationFrame(look)
    }
    look()
  })`
}
