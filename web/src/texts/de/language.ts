import type { languageTexts as english } from '../language.ts'

export const LOCALE = 'de'

export const languageTexts: typeof english = {
  noScript: 'Die Seite von Millrace benötigt JavaScript. Die API benötigt es nicht: siehe /docs.',
}
