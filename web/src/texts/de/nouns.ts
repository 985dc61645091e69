import { count } from '../locale.ts'
import type * as english from '../nouns.ts'

export { capitalized } from '../nouns.ts'

export const generalTerms: typeof english.generalTerms = {
  system: 'Quelle',
  scope: 'Bereich',
  document: 'Dokument',
}

/** Nouns whose plural is not the singular with an n: Seite → Seiten. */
const plurals: Record<string, string> = {
  Administrator: 'Administratoren',
  Ablauf: 'Abläufe',
  Bereich: 'Bereiche',
  Datei: 'Dateien',
  Benachrichtigung: 'Benachrichtigungen',
  Dokument: 'Dokumente',
  Element: 'Elemente',
  Ereignis: 'Ereignisse',
  Fehler: 'Fehler',
  Index: 'Indizes',
  Konto: 'Konten',
  Lauf: 'Läufe',
  Ordner: 'Ordner',
  Person: 'Personen',
  Schlüssel: 'Schlüssel',
  Schritt: 'Schritte',
  Tag: 'Tage',
  Token: 'Tokens',
  Treffer: 'Treffer',
  Ziel: 'Ziele',
}

/** Nouns that the service writes in English. */
const translations: Record<string, string> = {
  document: 'Dokument',
  element: 'Element',
  file: 'Datei',
  page: 'Seite',
  space: 'Bereich',
}

/** Nominative and accusative. */
export function plural(noun: string): string {
  const german = translations[noun] ?? noun
  return plurals[german] ?? (german.endsWith('e') ? `${german}n` : german)
}

/** 1 Dokument, 1.200 Dokumente. The noun may have an adjective where both numbers are written alike. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${number === 1 ? (translations[noun] ?? noun) : plural(noun)}`
}

/** After “von” and “aus”: 1 Dokument, 1.200 Dokumenten. */
export function inDative(number: number, noun: string): string {
  const words = counted(number, noun)
  return number !== 1 && /[elr]$/.test(words) ? `${words}n` : words
}
