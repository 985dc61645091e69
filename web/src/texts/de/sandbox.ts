import { count } from '../locale.ts'
import type { sandboxTexts as english } from '../sandbox.ts'
import { counted, inDative } from './nouns.ts'

export const sandboxTexts: typeof english = {
  badge: 'Sandbox',
  about: (most: number) => `Höchstens ${counted(most, 'Dokument')}, in diesem Dienst.`,
  holds: (documents: number) => `Sie enthält ${counted(documents, 'Dokument')}.`,
  filled: ({ documents, most }) => `${count(documents)} von ${inDative(most, 'Dokument')}`,
  full: 'Sie ist voll: Weitere Dokumente schlagen fehl.',
  choice: 'Sandbox, ohne Einrichtung',
  useOwn: 'Eigenes Ziel verwenden',
  fixed: 'Millrace verwaltet ihre Einstellungen. Sie können den Namen ändern.',
  deleteText: 'Alle ihre Dokumente werden mit ihr gelöscht. Sie können später eine leere Sandbox anlegen.',
  option: (name: string) => (/sandbox/i.test(name) ? name : `${name} (Sandbox)`),
}
