import { count } from '../locale.ts'
import type { tryTexts as english } from '../try.ts'
import { inDative } from './nouns.ts'

export const tryTexts: typeof english = {
  title: 'Ausprobieren',
  page: {
    description: 'Nach dem Lauf öffnet sich die Suche als zwei Personen.',
    otherDescription: 'Nach dem Lauf können Administratoren als zwei Personen suchen.',
    run: (done: number, all: number) =>
      all === 0
        ? 'Erster Lauf: Die Seiten werden aufgelistet'
        : `Erster Lauf: ${count(done)} von ${inDative(all, 'Dokument')}`,
    job: 'Lauf öffnen',
    failedTitle: 'Der Lauf wurde nicht abgeschlossen',
    failedText:
      'Das Beispiel-Wiki und die Sandbox bleiben. Wiederholen Sie den Lauf, oder öffnen Sie ihn, um den Grund zu sehen.',
    again: 'Erneut ausführen',
    home: 'Zurück zum Start',
    readyTitle: 'Das Beispiel kann durchsucht werden',
    needsAdministrator: (role: string) =>
      `Nur Administratoren können als andere Personen suchen. Ihre Rolle hier ist ${role}. Senden Sie diese Suche an einen Administrator:`,
    searchLink: 'die Adresse der Suche',
  },
}
