/** Labels by field name; paths such as `config.url` count too. */
export type Labels = Record<string, string>

/** The service names fields as the API does; a person knows their labels. */
export function withLabels(message: string, path: string, labels: Labels = {}): string {
  const [first = ''] = message.split(' ', 1)
  const own = first.replace(/:$/, '')
  const label = labels[path] ?? labels[lastName(path)] ?? words(lastName(path))
  const labelled = names(path, own) ? label + message.slice(own.length) : message
  return Object.entries(labels).reduce((text, [name, each]) => {
    const technical = lastName(name)
    // A name of one word may be an ordinary word of the sentence.
    return technical.includes('_') ? text.replaceAll(new RegExp(`\\b${technical}\\b`, 'gi'), each) : text
  }, labelled)
}

/** The field of a path; the number of a list entry is none. */
export function lastName(path: string): string {
  return path.split('.').findLast((step) => !/^\d+$/.test(step)) ?? path
}

function names(path: string, word: string): boolean {
  const [whole, given] = [path.toLowerCase(), word.toLowerCase()]
  return given !== '' && (`.${whole}`.endsWith(`.${given}`) || given === lastName(whole))
}

function words(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
}

/** The input of a field; a list keeps its name in a hidden one. */
export function inputOf(name: string, within: ParentNode): HTMLElement | null {
  const input = within.querySelector<HTMLElement>(
    `[name="${CSS.escape(name)}"], [name$=".${CSS.escape(name)}"]`,
  )
  if (!(input instanceof HTMLInputElement) || input.type !== 'hidden') return input
  return input.previousElementSibling?.querySelector('input') ?? input
}

/** Focuses the field, and opens what hides it. */
export function focusField(name: string, within: ParentNode): void {
  const input = inputOf(name, within)
  const hiding = input?.closest('details')
  if (hiding) hiding.open = true
  input?.focus({ preventScroll: true })
  // In the middle, so that its label and message are visible too.
  input?.scrollIntoView({ block: 'center' })
}

/** The label on the screen. */
export function labelOf(name: string, within: ParentNode): string | undefined {
  const input = inputOf(name, within)
  // A stored secret has a button that replaces it.
  if (input instanceof HTMLButtonElement)
    return input.closest('[role="group"]')?.parentElement?.firstElementChild?.textContent ?? undefined
  if (!(input instanceof HTMLInputElement || input instanceof HTMLTextAreaElement)) return undefined
  return input.labels?.[0]?.textContent?.replace(/\s*\*$/, '')
}
