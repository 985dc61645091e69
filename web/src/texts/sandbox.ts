import { counted } from './nouns.ts'
import { count } from './times.ts'

type Filled = { documents: number; most: number }

export const sandboxTexts = {
  badge: 'Sandbox',
  about: (most: number) => `At most ${counted(most, 'document')}, inside this service.`,
  holds: (documents: number) => `It holds ${counted(documents, 'document')}.`,
  filled: ({ documents, most }: Filled) => `${count(documents)} of ${counted(most, 'document')}`,
  full: 'It is full: further documents fail.',
  choice: 'Sandbox, with nothing to set up',
  useOwn: 'Use your own destination',
  fixed: 'Millrace manages its settings. You can change its name.',
  deleteText: 'All its documents are deleted with it. You can create an empty sandbox later.',
  option: (name: string) => (/sandbox/i.test(name) ? name : `${name} (sandbox)`),
}
