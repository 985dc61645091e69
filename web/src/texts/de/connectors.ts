import type { connectorsTexts as english } from '../connectors.ts'
import { amount, count } from '../locale.ts'
import { counted, inDative, plural } from './nouns.ts'

const kinds = { source: 'Quelle', destination: 'Ziel' } as const
const elements = (number: number) => counted(number, 'Element')

export const connectorsTexts: typeof english = {
  title: 'Konnektoren',
  description: 'Quellen, aus denen Dokumente gelesen werden, und Ziele, in die Elemente geschrieben werden.',
  tabs: { source: 'Quellen', destination: 'Ziele' },
  new: { source: 'Neue Quelle', destination: 'Neues Ziel' },
  list: { source: 'Quellen', destination: 'Ziele' },
  columns: {
    name: 'Name',
    type: 'Art',
    address: 'Adresse',
    usedBy: 'Verwendet von',
    lastCheck: 'Letzter Test',
    actions: 'Aktionen',
  },
  unused: 'Noch nicht verwendet',
  usedBy: (workflows: number) => counted(workflows, 'Ablauf'),
  neverChecked: 'Nie',
  checking: 'Wird getestet',
  needsDeveloper: (role: string) =>
    `Nur Entwickler und Administratoren können Konnektoren ändern. Ihre Rolle hier ist ${role}.`,
  empty: {
    source: {
      title: 'Noch keine Quellen',
      text: 'Eine Quelle ist ein System, aus dem Dokumente mit ihren Berechtigungen gelesen werden. Sie brauchen ihre Adresse und ein Konto, das sie lesen darf.',
    },
    destination: {
      title: 'Noch keine Ziele',
      text: 'Ein Ziel ist ein System, in das Elemente mit ihren Berechtigungen geschrieben werden. Sie brauchen seine Adresse und ein Konto, das darin schreiben darf.',
    },
  },
  menu: (name: string) => `Weitere Aktionen für ${name}`,
  edit: 'Bearbeiten',
  testAgain: 'Erneut testen',
  duplicate: 'Duplizieren',
  delete: 'Löschen',
  copyOf: (name: string) => `${name} (Kopie)`,
  pick: {
    source: 'Was möchten Sie lesen?',
    destination: 'Wohin möchten Sie schreiben?',
  },
  otherType: 'Andere Art wählen',
  documentation: 'Dokumentation',
  form: {
    nameLabel: 'Name',
    nameHelp: 'Erscheint in Listen und Abläufen.',
    nameExample: {
      source: ({ system }) => `${system} des Teams`,
      destination: ({ scope }) => `${scope} des Teams`,
    },
    nameMissing: 'Geben Sie einen Namen ein.',
    missing: (title: string) => `${title} ist erforderlich.`,
    notANumber: (title: string) => `${title} muss eine ganze Zahl sein.`,
    save: 'Speichern und testen',
    back: 'Abbrechen',
    saved: (name: string) => `${name} gespeichert.`,
    hides: {
      site_changed: 'Alle ihre Dokumente sind verborgen, bis ein Lauf die neue Adresse aufgelistet hat.',
      account_changed:
        'Alle ihre Dokumente sind verborgen, bis deren Berechtigungen mit dem neuen Konto gelesen sind.',
    },
    created: (name: string) => `${name} angelegt.`,
    copied: 'Geheimnisse werden nicht kopiert. Geben Sie sie erneut ein.',
    used: (workflows: number) =>
      amount(workflows, {
        one: 'Ein Ablauf verwendet diesen Konnektor. Sein nächster Lauf verwendet diese Einstellungen.',
        other: '{n} Abläufe verwenden diesen Konnektor. Deren nächste Läufe verwenden diese Einstellungen.',
      }),
    newTitle: (title, kind) => `${kind === 'source' ? 'Neue Quelle' : 'Neues Ziel'}: ${title}`,
    connection: 'Verbindung',
  },
  advanced: (fields: number) => `Erweitert (${fields})`,
  secret: {
    stored: 'Gespeichert',
    replace: 'Ersetzen',
    replaceNamed: (title: string) => `Ersetzen: ${title}`,
    keep: 'Gespeicherten Wert behalten',
    show: (title: string) => `Anzeigen: ${title}`,
  },
  setting: 'die Einstellung',
  authentication: 'Anmeldung',
  scopes: {
    load: ({ scope }) => `${plural(scope)} anzeigen`,
    loadHelp: ({ system }) => `Gelesen mit den Einstellungen oben (${system}).`,
    loaded: (scopes, { scope }) =>
      scopes === 0 ? `Das Konto sieht keine ${plural(scope)}.` : `Das Konto sieht ${counted(scopes, scope)}.`,
    placeholder: 'Suchen oder Schlüssel eingeben',
    documents: (documents, { document }) => counted(documents, document),
  },
  check: {
    title: 'Verbindungstest',
    running: 'Die Verbindung wird getestet. Das dauert einige Sekunden.',
    never: 'Noch nicht getestet.',
    again: 'Erneut testen',
    test: 'Testen',
    success: 'Die Verbindung funktioniert.',
    successWithWarnings: 'Die Verbindung funktioniert, mit Warnungen.',
    failure: 'Die Verbindung ist fehlgeschlagen. Ihre Einstellungen sind gespeichert.',
    steps: 'Schritte des Tests',
    at: 'Getestet',
    fix: 'Was zu tun ist:',
    toField: (label) => `Zum Feld „${label}“`,
    slow: 'Der Test wartet. Das Ergebnis erscheint hier.',
  },
  newTab: 'öffnet in einem neuen Tab',
  continue: 'Weiter zum ersten Lauf',
  create: {
    title: (scope: string, name: string) => `${scope} ${name} fehlt`,
    text: (scope: string) =>
      `Millrace kann dies für Sie anlegen: ${scope} mit Feldern für Text, Metadaten, Berechtigungen und Vektoren. Sonst ändert sich nichts.`,
    refused: (scope: string) =>
      `Diese Zugangsdaten dürfen das nicht anlegen: ${scope}. Führen Sie diesen Befehl mit Zugangsdaten aus, die es dürfen, und testen Sie dann erneut:`,
    action: (scope: string) => `${scope} für mich anlegen`,
    what: 'Was angelegt wird',
    request: 'die Anfrage',
    byHand: 'Oder führen Sie dieselbe Anfrage selbst aus:',
    command: 'der Befehl',
    created: (name: string) => `${name} angelegt.`,
  },
  contents: {
    title: () => 'Inhalt des Ziels',
    description: () =>
      'Vergleicht das Ziel mit dem, was die Läufe geschrieben haben. Nach einer Wiederherstellung oder einer Änderung durch ein anderes Programm kann es abweichen. Eine Reparatur ändert nur die Abweichungen.',
    compare: 'Vergleichen',
    stop: 'Anhalten',
    notCompleted: 'Der Vergleich wurde nicht abgeschlossen.',
    progress: {
      label: 'Fortschritt des Vergleichs',
      waits: 'Ein Lauf schreibt gerade. Danach geht der Vergleich weiter.',
      ledger: (done: number, all: number) => `${count(done)} von ${inDative(all, 'Dokument')} verglichen.`,
      index: (number: number) => `Unerwartete Elemente werden gesucht: ${count(number)} gelesen.`,
      confirm: 'Die Abweichungen werden erneut verglichen.',
      repair: (removed: number) => `Wird repariert: ${elements(removed)} entfernt.`,
    },
    agrees: (_, number) => `Das Ziel enthält genau, was geschrieben wurde: ${elements(number)}.`,
    differs: (_, { missing, extra }) =>
      `Das Ziel weicht ab: ${elements(missing)} fehlend oder geändert, ${count(extra)} unerwartet.`,
    foreign: (number: number) =>
      `Außerdem enthält es ${elements(number)} aus anderen Programmen; eine Reparatur ändert daran nichts.`,
    scopes: (scope: string) => `${plural(scope)} im Ziel`,
    findings: 'Abweichende Dokumente',
    more: (documents: number) => `Weitere Abweichungen: ${counted(documents, 'Dokument')}.`,
    empty: 'Noch nichts geschrieben.',
    documents: 'Dokumente',
    elements: 'Elemente',
    missing: 'Fehlend',
    different: 'Geändert',
    extra: 'Unerwartet',
    kind: 'Abweichung',
    kinds: { missing: 'Fehlend', different: 'Geändert', extra: 'Unerwartet' },
    document: 'Dokument',
    reason: 'Grund',
    repair: 'Reparieren',
    repairTitle: () => 'Ziel reparieren',
    repairText: ({ missing, extra }) =>
      `Ein Lauf schreibt die Dokumente der fehlenden oder geänderten Elemente neu (${count(missing)}). ` +
      `Elemente, die kein Lauf geschrieben hat, werden entfernt (${count(extra)}); das lässt sich nicht rückgängig machen.`,
    repairing: () => 'Reparatur gestartet.',
    repaired: (removed: number) => `${elements(removed)} entfernt. Ein Lauf schreibt die fehlenden.`,
    job: 'Lauf öffnen',
  },
  replaced: {
    title: 'Ersetzte Indizes',
    description:
      'Beim Austauschen bleibt der ersetzte Index erhalten. Die Suche verwendet ihn nicht mehr. Löschen Sie ihn, wenn Sie ihn nicht mehr brauchen.',
    name: 'Index',
    elements: 'Elemente',
    at: 'Ersetzt',
    actions: 'Aktionen',
    inUse: (aliases: string[]) => `Verwendet von ${aliases.join(', ')}`,
    delete: (name: string) => `Index ${name} löschen`,
    deleteWord: 'Löschen',
    deleteConfirm: 'Index löschen',
    deleteText: (number: number) =>
      `Mit ihm gelöscht: ${elements(number)}. Sie können dann nicht mehr zu ihm zurückkehren. Das lässt sich nicht rückgängig machen.`,
    deleted: (name: string) => `${name} gelöscht.`,
  },
  deleteTitle: (name, kind) => `${kinds[kind]} ${name} löschen`,
  deleteText: {
    source: () =>
      'Einstellungen und Geheimnisse werden gelöscht. Das System selbst und die schon gelesenen Dokumente ändern sich nicht.',
    destination: () =>
      'Einstellungen und Geheimnisse werden gelöscht. Das System selbst und seine Elemente ändern sich nicht.',
  },
  deleteConfirm: { source: 'Quelle löschen', destination: 'Ziel löschen' },
  deleted: (name: string) => `${name} gelöscht.`,
  inUseTitle: (name: string) => `${name} wird verwendet`,
  inUse: 'Diese Abläufe verwenden den Konnektor. Ändern oder löschen Sie sie zuerst:',
  close: 'Schließen',
}
