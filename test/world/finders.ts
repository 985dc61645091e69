import type { Locator, Page } from 'playwright-core'

type Text = string | RegExp

/** Finds elements by their accessible names; queries the page each time. */
export function finders(page: () => Page) {
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
    /** Copies with a button, which says so for two seconds, and returns the text. */
    async copy(what: string, inside: Page | Locator = page()): Promise<string> {
      const copyButton = (verb: string) =>
        inside.getByRole('button', { name: `${verb} ${what}`, exact: true })
      await Promise.all([copyButton('Copied').waitFor(), copyButton('Copy').click()])
      return page().evaluate<string>('navigator.clipboard.readText()')
    },
    clipboard: () => page().evaluate<string>('navigator.clipboard.readText()'),
    /** The name of the focused field. */
    focused: () => page().evaluate<string>('document.activeElement.name'),
  }
}
