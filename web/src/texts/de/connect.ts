import type { connectTexts as english } from '../connect.ts'
import { count } from '../locale.ts'
import { counted, inDative, plural } from './nouns.ts'

export const connectTexts: typeof english = {
  title: 'Eigene Systeme verbinden',
  open: 'Verbinden',
  restart: 'Neu beginnen',
  kinds: { source: 'Quelle', destination: 'Ziel' },
  description:
    'Drei Schritte bis zur ersten Suche. Jede Verbindung wird getestet, und nichts wird geschrieben, bevor Sie den Lauf starten.',
  done: 'erledigt',
  change: 'Ändern',
  changeNamed: (step: string) => `Ändern: ${step}`,
  uses: (name: string) => `Verwendet ${name}.`,
  another: { source: 'Andere Quelle verwenden', destination: 'Anderes Ziel verwenden' },
  settings: 'Einstellungen ändern',
  use: { source: 'Vorhandene Quelle verwenden', destination: 'Vorhandenes Ziel verwenden' },
  usePlaceholder: 'Wählen oder unten neu verbinden',
  type: { source: 'Was möchten Sie lesen?', destination: 'Wohin möchten Sie schreiben?' },
  useSandbox: 'Sandbox verwenden',
  onlyScope: (key, { scope }) => `Nur ${scope} ${key}`,
  removeScope: (key, { scope }) => `Entfernen: nur ${scope} ${key}`,
  fromAddress: 'Aus der Adresse. Vor dem ersten Lauf können Sie andere wählen.',
  save: 'Testen und speichern',
  failed:
    'Die Verbindung ist fehlgeschlagen. Nichts ist gespeichert; korrigieren Sie die Einstellungen, und testen Sie erneut.',
  next: 'Weiter',
  existing: {
    title: (name: string) => `Der Ablauf ${name} kopiert diese Quelle schon in dieses Ziel`,
    text: 'Öffnen Sie ihn, um ihn auszuführen oder zu ändern, was er liest.',
    open: 'Ablauf öffnen',
  },
  run: {
    title: 'Erster Lauf',
    all: ({ scope }, number) =>
      number === undefined ? `Alle ${plural(scope)}` : `Alle (${counted(number, scope)})`,
    some: ({ scope }) => `Nur gewählte ${plural(scope)}`,
    filter: ({ scope }) => `${plural(scope)} filtern`,
    loading: ({ scope }) => `${plural(scope)} werden gelesen`,
    counting: ({ document }) => `${plural(document)} werden gezählt.`,
    noMatch: ({ scope }) => `Keine passenden ${plural(scope)}.`,
    noneChosen: ({ scope }) => `Wählen Sie einzelne ${plural(scope)} oder alle.`,
    documents: (documents, limit, { document }) =>
      limit !== null && documents > limit
        ? `${counted(documents, document)}, davon werden ${count(limit)} gelesen`
        : counted(documents, document),
    estimate: ({ scopes, documents, unknown }, { scope, document }) => {
      if (unknown >= scopes && documents === 0) return `Liest ${counted(scopes, scope)}.`
      const more = unknown > 0 ? `, dazu ${counted(unknown, scope)} unbekannter Größe` : ''
      return `Liest etwa ${counted(documents, document)} (${counted(scopes - unknown, scope)})${more}.`
    },
    leftOut: ({ leftOut, scopesLeftOut }, { scope, document }) => {
      const parts = [
        ...(leftOut > 0 ? [counted(leftOut, document)] : []),
        ...(scopesLeftOut > 0 ? [counted(scopesLeftOut, scope)] : []),
      ]
      return `Durch die Obergrenzen oben ausgelassen: ${parts.join(' und ')}.`
    },
    raise: (documents: number) => `Obergrenze auf ${count(documents)} erhöhen`,
    workflowName: (source: string, destination: string) => `${source} nach ${destination}`,
    what: (destination: string) =>
      `Legt einen Ablauf mit den üblichen Schritten an und startet ihn. Der Lauf schreibt in ${destination}.`,
    start: 'Ersten Lauf starten',
  },
  progress: {
    label: 'Fortschritt des ersten Laufs',
    documents: (done, all, { document }) =>
      all === 0 ? `${plural(document)} werden aufgelistet` : `${count(done)} von ${inDative(all, document)}`,
    job: 'Lauf öffnen',
    ready: 'Der erste Lauf ist abgeschlossen',
    readyCut: 'Der erste Lauf ist beendet',
    someLeftOut: ({ document }) =>
      `Eine Obergrenze hat ${plural(document)} ausgelassen. Die anderen können durchsucht werden.`,
    readyText: 'Durchsuchen Sie, was er geschrieben hat, als Sie selbst oder als andere Personen.',
    someFailed: (documents, { document }) =>
      `${counted(documents, document)} fehlgeschlagen; der Lauf nennt die Gründe. Die anderen können durchsucht werden.`,
    search: 'Durchsuchen',
    failed: 'Der Lauf wurde nicht abgeschlossen',
    again: 'Erneut ausführen',
    change: 'Ändern, was gelesen wird',
  },
}
