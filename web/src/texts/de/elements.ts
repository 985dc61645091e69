import type { elementTexts as english } from '../elements.ts'
import { count } from '../times.ts'

export const elementTexts: typeof english = {
  view: 'Angezeigt als',
  views: { text: 'Text', json: 'JSON' },
  page: (page) => `Seite ${page}`,
  more: (elements) => `${count(elements)} weitere anzeigen`,
  characters: (characters) => `${characters} Zeichen`,
  table: 'Tabelle',
  noText: 'Kein Text.',
}
