import type { homeTexts as english } from '../home.ts'
import { count, listed } from '../locale.ts'
import { counted } from './nouns.ts'

export const homeTexts: typeof english = {
  title: 'Start',
  emptyDescription:
    'Millrace kopiert Dokumente in einen Suchindex und behält die Berechtigungen ihrer Quelle bei.',
  description: 'Der Inhalt des Index und die Ergebnisse der letzten Läufe.',
  setup: {
    title: 'Diesen Arbeitsbereich einrichten',
    needsDeveloper: (role: string) =>
      `Entwickler und Administratoren verbinden Quellen und Ziele. Ihre Rolle hier ist ${role}.`,
    done: 'erledigt',
    open: 'offen',
    dismiss: (step: string) => `Ausblenden: ${step}`,
    continue: 'Fortsetzen',
    searchSample: 'Als zwei Personen suchen',
    steps: {
      sample: {
        title: 'Mit einem Beispiel ausprobieren',
        text: 'Suchen Sie als zwei Personen in Beispielseiten, und sehen Sie verschiedene Treffer. Es dauert etwa eine Minute, und nichts verlässt diesen Dienst.',
        action: 'Ausprobieren',
      },
      source: {
        title: 'Ihre Quelle verbinden',
        text: (systems: string[]) =>
          `Unterstützt: ${listed(systems)}. Sie brauchen ein Konto, das dort lesen darf.`,
        action: 'Eigene verbinden',
      },
      destination: {
        title: 'Ein Ziel verbinden',
        text: (systems: string[]) => `Unterstützt: ${listed(systems)}. Oder die Sandbox, ohne Einrichtung.`,
        action: 'Verbinden',
      },
      run: {
        title: 'Zum ersten Mal ausführen',
        text: 'Wählen Sie, was gelesen wird. Der Lauf kopiert es samt Berechtigungen.',
        action: 'Lauf vorbereiten',
      },
      schedule: {
        title: 'Einen Zeitplan festlegen',
        text: 'Läufe zu festen Zeiten halten den Index aktuell. Wählen Sie einen Ablauf und seine Zeiten.',
        action: 'Ablauf wählen',
      },
      invite: {
        title: 'Kollegen einladen',
        text: 'Jedes Mitglied hat eine Rolle, von der Suche bis zur Verwaltung dieses Arbeitsbereichs.',
        action: 'Einladen',
      },
      assistant: {
        title: 'Einen Assistenten verbinden',
        text: 'Mit einem persönlichen Token findet ein Assistent, was Sie lesen dürfen, und sonst nichts.',
        action: 'Token anlegen',
      },
    },
  },
  file: {
    title: 'Datei ablegen',
    text: 'Sehen Sie die Elemente einer Datei. Nichts wird gespeichert.',
    drop: 'Legen Sie hier eine Datei ab, oder',
    choose: 'Datei wählen',
    limit: 'HTML, Markdown, reiner Text und andere lesbare Dateien, bis 10 MB.',
    tooLarge: 'Diese Datei ist größer als 10 MB.',
    working: (name: string) => `${name} wird gelesen`,
  },
  elements: {
    title: (name: string) => `Elemente von ${name}`,
    summary: (elements: number, type: string) => `${counted(elements, 'Element')}, gelesen als ${type}`,
    list: 'Elemente',
    none: 'Diese Datei enthält keinen Text.',
    close: 'Schließen',
  },
  summary: {
    label: 'Zusammenfassung',
    documents: 'Dokumente im Index',
    elements: 'Elemente im Index',
    failures: 'Fehlgeschlagene Dokumente (7 Tage)',
    failedJobs: 'Fehlgeschlagene Läufe (7 Tage)',
    permissions: 'Älteste Berechtigungen',
    permissionsHelp: 'wann sie zuletzt aus der Quelle gelesen wurden',
    never: 'Noch nicht gelesen',
  },
  hidden: {
    title: 'Die Suche verbirgt Dokumente mit alten Berechtigungen',
    text: 'Berechtigungen sind älter, als das Höchstalter erlaubt. Öffnen Sie den Ablauf, um sie jetzt zu lesen:',
    hides: (scopes: number, scope: string) => `: ${counted(scopes, scope)} verborgen`,
  },
  byDay: {
    title: 'Dokumente im Zeitverlauf',
    description: 'Verarbeitete Dokumente der letzten zwei Wochen, je Tag (UTC).',
    label: (total: number) =>
      `Verarbeitete Dokumente der letzten zwei Wochen, je Tag: ${count(total)} insgesamt.`,
    day: 'Tag',
    new: 'Neu',
    changed: 'Geändert',
    removed: 'Entfernt',
    failed: 'Fehlgeschlagen',
  },
  runs: {
    title: 'Letzte Läufe',
    all: 'Alle Läufe',
    list: 'Letzte Läufe',
  },
}
