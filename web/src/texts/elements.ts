import { count } from './times.ts'

/** A list of elements. */
export const elementTexts = {
  view: 'Shown as',
  views: { text: 'Text', json: 'JSON' },
  page: (page: number) => `page ${page}`,
  more: (elements: number) => `Show ${count(elements)} more`,
  characters: (characters: string) => `${characters} characters`,
  table: 'Table',
  noText: 'No text.',
}
