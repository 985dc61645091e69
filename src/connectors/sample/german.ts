import type { Translation } from '../type.ts'

export const sampleInGerman: Translation = {
  title: 'Beispiel-Wiki',
  about:
    'Zweihundert erfundene Seiten und sechs Personen mit verschiedenen Berechtigungen, in diesem Dienst.',
  terms: { system: 'Wiki', scope: 'Bereich', document: 'Seite' },
  settings: {
    url: {
      title: 'Adresse des Beispiel-Wikis',
      description: 'Erfunden: Die Seiten gehören zu diesem Dienst, und nichts wird dorthin gesendet.',
    },
    spaces: {
      title: 'Bereiche',
      description: 'Schlüssel der Bereiche, die gelesen werden. Leer: alle Bereiche.',
    },
  },
  steps: {
    'read the sample': 'Beispiel lesen',
    'list spaces': 'Bereiche auflisten',
    'read permissions': 'Berechtigungen lesen',
  },
}
