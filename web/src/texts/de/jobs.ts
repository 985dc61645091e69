import type * as english from '../jobs.ts'
import { amount } from '../locale.ts'
import { count } from '../times.ts'
import { counted, inDative } from './nouns.ts'

const documentsOf = (documents: number) => counted(documents, 'Dokument')
const failedOf = (documents: number) =>
  amount(documents, { one: '1 fehlgeschlagenes Dokument', other: '{n} fehlgeschlagene Dokumente' })

export const jobsTexts: typeof english.jobsTexts = {
  title: 'Läufe',
  description: 'Jeder Lauf eines Ablaufs, mit Ergebnissen und Warnungen.',
  columns: {
    workflow: 'Ablauf',
    state: 'Status',
    started: 'Beginn',
    runtime: 'Dauer',
    documents: 'Dokumente',
    failed: 'Fehlgeschlagen',
    by: 'Gestartet von',
  },
  filters: {
    label: 'Filter',
    status: 'Status',
    anyStatus: 'Jeder Status',
    workflow: 'Ablauf',
    anyWorkflow: 'Jeder Ablauf',
    from: 'Von',
    until: 'Bis',
    clear: 'Filter zurücksetzen',
  },
  empty: {
    title: 'Noch keine Läufe',
    text: 'Führen Sie einen Ablauf aus, um hier das Ergebnis zu sehen.',
    action: 'Zu den Abläufen',
  },
  noneMatch: { title: 'Keine passenden Läufe', text: 'Kein Lauf passt zu diesen Filtern.' },
  notStarted: 'Wartet',
  heldBack: (documents: number) => `${count(documents)} zurückgehalten`,
  startedBy: {
    person: (name) => name ?? 'Ehemaliges Mitglied',
    key: (name) => (name === null ? 'Gelöschter Schlüssel' : `Schlüssel: ${name}`),
    schedule: () => 'Zeitplan',
    retry: (name) => (name === null ? 'Wiederholung' : `Wiederholung durch ${name}`),
    unknown: () => 'Unbekannt',
  },
  open: (workflow: string, at: string) => `Lauf von ${workflow}, ${at}`,
}

export const jobTexts: typeof english.jobTexts = {
  id: 'die Kennung des Laufs',
  openWorkflow: 'Ablauf öffnen',
  openDestination: 'Ziel öffnen',
  uploadedFiles: 'Hochgeladene Dateien',
  started: 'Gestartet',
  by: {
    person: (name) => `von ${name ?? 'einem ehemaligen Mitglied'}`,
    key: (name) => (name === null ? 'mit einem gelöschten Schlüssel' : `mit dem Schlüssel „${name}“`),
    schedule: () => 'nach Zeitplan',
    retry: (name) => (name === null ? 'als Wiederholung' : `als Wiederholung durch ${name}`),
    unknown: () => '',
  },
  took: (duration: string) => `dauerte ${duration}`,
  running: (duration: string) => `läuft seit ${duration}`,
  queued: 'wartet auf den Start',
  live: 'Aktualisiert laufend',
  polling: 'Aktualisiert alle 2 Sekunden',
  tabs: { label: 'Angaben zum Lauf', overview: 'Überblick', documents: 'Dokumente', log: 'Protokoll' },
  permissions: {
    title: 'Berechtigungen',
    text: 'Dieser Lauf liest Berechtigungen und schreibt geänderte in den Index. Er liest keinen Text und zählt keine Dokumente.',
    open: 'Ansehen, wann Berechtigungen zuletzt gelesen wurden',
    cancelText: 'Gelesene Berechtigungen bleiben. Die anderen behalten ihr Alter.',
  },
  verify: {
    title: 'Vergleich',
    text: 'Dieser Lauf vergleicht den Index mit dem, was frühere Läufe geschrieben haben, oder behebt die Unterschiede. Er zählt keine Dokumente.',
    cancelText:
      'Ein neuer Vergleich beginnt von vorn. Elemente, die eine Reparatur entfernt hat, bleiben entfernt.',
  },
  progress: (done: number, all: number) => `${count(done)} von ${inDative(all, 'Dokument')} fertig`,
  ended: (state: string) => `Lauf beendet: ${state}.`,
  cancel: {
    action: 'Lauf anhalten',
    title: 'Diesen Lauf anhalten',
    text: (done: number) =>
      `Er hält innerhalb weniger Sekunden an. ${done === 0 ? 'Bisher wurde nichts geschrieben.' : amount(done, { one: '1 verarbeitetes Dokument bleibt im Index.', other: '{n} verarbeitete Dokumente bleiben im Index.' })} Nichts wird aus dem Index entfernt. Der nächste Lauf verarbeitet den Rest.`,
  },
  again: 'Erneut ausführen',
  retry: (failed: number) => `${failedOf(failed)} wiederholen`,
  failure: {
    connection: (name: string) => `Verbindung von ${name} korrigieren`,
    settings: (name: string) => `Einstellungen von ${name} öffnen`,
  },
  approve: {
    banner: (documents: number) => `Entfernen von ${inDative(documents, 'Dokument')} zurückgehalten`,
    text: (documents: number) =>
      `Die Quelle listet ${documentsOf(documents)} des Index nicht mehr auf. Das ist mehr, als ohne Freigabe entfernt wird. Entzogene Berechtigungen und gelöschte Dokumente kann Millrace nicht unterscheiden. ${documents === 1 ? 'Es ist' : 'Diese sind'} für alle verborgen, bis Sie das Entfernen freigeben oder die Quelle ${documents === 1 ? 'es' : 'sie'} wieder auflistet.`,
    checkFirst:
      'Wenn Sie das nicht erwarten, prüfen Sie zuerst die Quelle: Vielleicht ist ein Bereich archiviert, oder das Konto darf ihn nicht mehr sehen.',
    action: (documents: number) => `Entfernen von ${inDative(documents, 'Dokument')} freigeben`,
    title: (documents: number) => `${documentsOf(documents)} aus dem Index entfernen`,
    confirmText: (documents: number) =>
      `Alle Elemente ${documents === 1 ? 'dieses Dokuments' : `dieser ${count(documents)} Dokumente`} werden sofort aus dem Index entfernt. Die Quelle ändert sich nicht. Dokumente, die die Quelle wieder auflistet, kommen mit dem nächsten Lauf zurück.`,
    confirm: (documents: number) => `${documentsOf(documents)} entfernen`,
    done: (removed: number) => `${documentsOf(removed)} aus dem Index entfernt.`,
  },
  needsOperator: 'Das können nur Bediener, Entwickler und Administratoren. Ihre Rolle hier ist',
  counts: {
    title: 'Dokumente',
    discovered: 'gefunden',
    new: 'neu',
    changed: 'geändert',
    reprocessed: 'neu verarbeitet',
    unchanged: 'unverändert',
    skipped: 'übersprungen',
    failed: 'fehlgeschlagen',
    pending: (documents: number) => `${count(documents)} ausstehend`,
    permissions_only: (documents: number) => `${count(documents)} nur mit neuen Berechtigungen`,
    removed: (documents: number) => `${count(documents)} entfernt`,
    none: 'Kein Dokument wurde verarbeitet.',
    listing: 'Die Dokumente werden aufgelistet.',
    waiting: 'Die ersten Dokumente werden verarbeitet.',
    inconsistent:
      'Diese Zahlen gehen nicht auf. Das ist ein Fehler in Millrace: Bitte melden Sie ihn mit der Kennung des Laufs.',
  },
  steps: {
    title: 'Fortschritt',
    list: 'Schritte des Laufs',
    overall: { list: 'Auflisten', work: 'Verarbeiten', remove: 'Entfernen' },
    soFar: (done: number) => `bisher ${count(done)}`,
    of: (done: number, all: number) => `${count(done)} von ${count(all)}`,
    failed: (documents: number) => `${count(documents)} fehlgeschlagen`,
    bar: (step: string, done: number, all: number) => `${step}: ${done} von ${all} fertig`,
    rate: (documents: string) => `${documents} Dokumente pro Sekunde`,
    left: (time: string) => `noch etwa ${time}`,
    times: 'Zeit je Schritt',
    names: {
      list: 'Auflisten',
      read: 'Lesen',
      partition: 'Zerlegen',
      enrich: 'Anreichern',
      chunk: 'Aufteilen',
      embed: 'Einbetten',
      write: 'Schreiben',
    },
    chart: 'Dokumente pro Sekunde während des Laufs',
    at: 'Zeit',
    documents: 'Dokumente pro Sekunde',
  },
  warnings: {
    title: 'Warnungen',
    failed: (documents: number) => `${documentsOf(documents)} fehlgeschlagen.`,
    fix: 'Was zu tun ist:',
    open: {
      setting: 'Einstellung öffnen',
      source: 'Quelle öffnen',
      destination: 'Ziel öffnen',
      workflow: 'Ablauf öffnen',
      documents: 'Diese Dokumente anzeigen',
      document: 'Dokument öffnen',
      failed: 'Fehlgeschlagene Dokumente anzeigen',
      job: 'Lauf öffnen',
    },
  },
  documents: {
    list: 'Dokumente des Laufs',
    filters: 'Dokumentfilter',
    title: 'Dokument',
    state: 'Status',
    error: 'Fehler',
    elements: 'Elemente',
    updated: 'Aktualisiert',
    search: 'Titel',
    searchExample: 'Teil eines Titels',
    clear: 'Filter zurücksetzen',
    ofState: (state: string, documents: number) => `${state} (${count(documents)})`,
    totals: (documents: number) => documentsOf(documents),
    matching: (documents: number) =>
      amount(documents, { one: '1 passendes Dokument', other: '{n} passende Dokumente' }),
    unchanged: (documents: number) =>
      amount(documents, {
        one: '1 unverändertes Dokument wird gezählt, nicht aufgelistet',
        other: '{n} unveränderte Dokumente werden gezählt, nicht aufgelistet',
      }),
    withWarning: (_: string) => 'Nur Dokumente mit dieser Warnung',
    anyState: 'Jeder Status',
    anyError: 'Jeder Fehler',
    scope: 'Bereich',
    anyScope: 'Jeder Bereich',
    scopeName: (name: string, key: string) => (name && name !== key ? `${name} (${key})` : key),
    emptyTitle: 'Noch keine Dokumente',
    emptyText: 'Dokumente erscheinen hier, sobald die Quelle sie auflistet.',
    noneTitle: 'Keine passenden Dokumente',
    noneText: 'Kein Dokument dieses Laufs passt zu diesen Filtern.',
    download: (title: string) => `Elemente von ${title} herunterladen`,
    reprocessed: 'Neu verarbeitet',
    notKept:
      'Ergebnisse je Dokument bleiben für die letzten 20 Läufe eines Ablaufs und 30 Tage erhalten. Von diesem Lauf gibt es nur die Summen.',
  },
  differences: {
    since: 'Vergleichen mit',
    before: 'Nur dieser Lauf',
    list: 'Dokumente, die sich unterscheiden',
    totals: (changes: [string, number][]) =>
      changes.map(([change, documents]) => `${count(documents)} ${change}`).join(', '),
    incomplete:
      'Die Dokumente eines Laufs dazwischen sind nicht mehr erhalten, daher können Unterschiede fehlen.',
    empty: 'Kein Dokument unterscheidet sich.',
  },
  settings: {
    title: 'Einstellungen dieses Laufs',
    retryOf: 'Wiederholung von',
    openRun: 'einem früheren Lauf',
    source: 'Quelle',
    destination: 'Ziel',
    local: { source: 'Hochgeladene Dateien', destination: 'Download, sieben Tage aufbewahrt' },
    deleted: 'Gelöscht',
    reprocess: 'Alles neu verarbeiten',
    steps: 'Schritte',
    yes: 'Ja',
    no: 'Nein',
  },
  log: {
    title: 'Protokoll',
    description:
      'Beginn, Ende, Einstellungen, Warnungen und das Ergebnis jedes Dokuments außer den unveränderten, Neuestes zuerst.',
    download: 'Protokoll herunterladen',
    empty: 'Das Protokoll ist leer.',
    noneMatch: 'Keine Zeile passt.',
    cut: (lines: number) =>
      `Die zuletzt beendeten ${count(lines)} Dokumente. Der Download enthält alle Zeilen.`,
    label: 'Protokoll des Laufs',
    level: 'Stufe',
    levels: { info: 'Alle Zeilen', warning: 'Warnungen und Fehler', error: 'Nur Fehler' },
    levelNames: { info: 'Hinweis', warning: 'Warnung', error: 'Fehler' },
    search: 'Suchtext',
    searchExample: 'Teil einer Zeile',
    copy: 'das Protokoll',
    at: 'Zeit',
    line: 'Ereignis',
    events: {
      start: 'Lauf gestartet',
      settings: 'Schritte',
      running: 'Läuft',
      end: 'Lauf beendet',
    },
    elements: (elements: number) => counted(elements, 'Element'),
  },
  said: {
    chunks_beyond_embedder: () =>
      'Abschnitte sind länger, als der Einbettungsdienst liest. Das Ende ihres Textes wird ignoriert.',
    listing_broken: () =>
      'Das Auflisten ist fehlgeschlagen. Dokumente, die es nicht erreicht hat, wurden nicht entfernt.',
    swap_given_up: () =>
      'Der Lauf hat in den benutzten Index geschrieben, weil ein früherer neuer Index nicht fertig wurde.',
    documents_hidden: withMessage('Dokumente sind verborgen, weil die Quelle sie nicht mehr auflistet.'),
    file_too_large: withMessage('Dateien sind zu groß und wurden übersprungen.'),
    destination_full: withMessage('Das Ziel ist voll.'),
    removed_by_limit: withMessage('Eine Obergrenze hat Dokumente aus dem Index entfernt.'),
    space_not_listed: withMessage('Ein Bereich konnte nicht aufgelistet werden.'),
    spaces_left_out: withMessage('Die Obergrenze für Bereiche hat Bereiche ausgelassen.'),
    documents_left_out: withMessage('Die Obergrenze für Dokumente hat Dokumente ausgelassen.'),
    access_class_unknown: withMessage('Ein Bereich gibt einer unbekannten Personengruppe Berechtigungen.'),
    ancestors_assumed: withMessage('Übergeordnete Seiten ließen sich nicht vollständig prüfen.'),
    permissions_unproved: withMessage(
      'Einige Berechtigungen ließen sich nicht prüfen und wurden nicht gewährt.',
    ),
    files_not_listed: withMessage('Die Dateien einiger Seiten konnten nicht aufgelistet werden.'),
    attachments_left: withMessage('Anhänge in Nachrichten wurden nicht gelesen.'),
    archive_files_left: withMessage('Dateien in Archiven wurden nicht gelesen.'),
    pages_left_out: withMessage('Weitere Seiten langer Dokumente wurden ausgelassen.'),
    pages_without_text: withMessage('Seiten ohne Text wurden nicht gelesen.'),
    pictures_not_read: withMessage('Bilder wurden nicht gelesen.'),
    hi_res_of_pdfs: withMessage('hi_res wirkt nur auf PDFs und Bilder.'),
    macros_dropped: withMessage('Makros wurden ausgelassen.'),
    names_missing: withMessage('Namen von Personen konnten nicht gelesen werden.'),
    images_missing: withMessage('Bilder fehlen in der Quelle.'),
    index_missing: withMessage('Der Index existiert nicht mehr.'),
    index_swapped: withMessage('Der Index wurde durch einen neuen ersetzt.'),
    swap_not_done: withMessage('Der neue Index hat den alten nicht ersetzt.'),
    ledger_behind_index: withMessage('Der Index enthält mehr, als Millrace verzeichnet hat.'),
    permissions_not_written: withMessage('Berechtigungen konnten nicht in den Index geschrieben werden.'),
    site_changed: withMessage('Die Quelle zeigt jetzt auf eine andere Installation.'),
    account_changed: withMessage('Die Quelle verwendet jetzt ein anderes Konto.'),
  },
  advice: {
    documents_hidden:
      'Nichts. Der nächste Lauf, der sie auflisten kann, macht sie wieder sichtbar. Wenn das öfter geschieht, prüfen Sie, ob das Konto ihren Bereich sehen darf.',
    file_too_large: 'Nichts, oder verkleinern Sie die Dateien in der Quelle.',
    destination_full:
      'Verwenden Sie ein eigenes Ziel, oder entfernen Sie Dokumente aus diesem. Führen Sie den Ablauf dann erneut aus.',
    removed_by_limit:
      'Erhöhen Sie in der Quelle die Höchstzahl der Dokumente je Bereich, und führen Sie den Ablauf erneut aus, um sie zurückzuholen.',
    listing_broken:
      'Führen Sie den Ablauf erneut aus. Scheitert er an derselben Stelle, testen Sie die Verbindung der Quelle, um zu sehen, welcher Schritt fehlschlägt.',
    space_not_listed:
      'Erlauben Sie dem Konto der Quelle, diesen Bereich zu sehen, und führen Sie den Ablauf erneut aus.',
    spaces_left_out:
      'Wählen Sie in der Quelle die gewünschten Bereiche, oder erhöhen Sie ihre Höchstzahl der Bereiche.',
    documents_left_out:
      'Erhöhen Sie in der Quelle die Höchstzahl der Dokumente je Bereich, und führen Sie den Ablauf erneut aus.',
    access_class_unknown:
      'Geben Sie die Berechtigung in der Quelle einer Gruppe, oder aktualisieren Sie Millrace. Bis dahin gewährt diese Personengruppe keinen Zugriff.',
    ancestors_assumed:
      'Machen Sie das Konto zum Administrator des Quellsystems, damit Ordner geprüft werden können. Oder wählen Sie in der Quelle, was für Seiten unter ungeprüften Ordnern gilt.',
    permissions_unproved:
      'Erlauben Sie dem Konto der Quelle, Einschränkungen und Gruppen zu lesen. Bis dahin gewähren ungeprüfte Berechtigungen keinen Zugriff.',
    files_not_listed:
      'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, öffnen Sie eines der Dokumente in der Quelle, und prüfen Sie seine Anhänge.',
    chunks_beyond_embedder:
      'Setzen Sie im Ablauf die größte Länge der Abschnitte auf 1.000 Zeichen oder weniger. Der nächste Lauf verarbeitet dann jedes Dokument neu.',
    swap_given_up:
      'Um wieder einen neuen Index zu füllen, ändern Sie den Ablauf, oder starten Sie einen Lauf, der alles neu verarbeitet.',
    attachments_left: 'Hängen Sie diese Dateien direkt an eine Seite an, um sie zu indizieren.',
    archive_files_left:
      'Hängen Sie diese Dateien außerhalb des Archivs an, in einem Format, das gelesen werden kann.',
    pages_without_text: 'Wählen Sie im Ablauf beim Zerlegen auto oder hi_res, um gescannte Seiten zu lesen.',
    pictures_not_read: 'Nichts. Die Seiten sind mit den Alternativtexten dieser Bilder indiziert.',
    hi_res_of_pdfs: 'Nichts. Ohne PDFs und Bilder liefert auto dasselbe Ergebnis.',
    macros_dropped:
      'Nichts. Diese Makros zeigen Inhalte anderer Seiten oder Systeme, die selbst indiziert werden.',
    names_missing:
      'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, prüfen Sie, ob das Konto der Quelle andere Personen sehen darf.',
    images_missing:
      'Öffnen Sie eines der Dokumente. Das Bild wurde gelöscht, oder das Konto darf es nicht lesen.',
  },
  detailed: (fix, message) => `${fix} Meldung: ${message}`,
  errors: {
    source_unreachable: {
      name: 'Die Quelle ist nicht erreichbar',
      fix: 'Prüfen Sie ihre Adresse und ob das System läuft, und führen Sie den Ablauf erneut aus.',
    },
    source_unauthorized: {
      name: 'Die Quelle hat die Zugangsdaten abgelehnt',
      fix: 'Geben Sie gültige Zugangsdaten ein, und führen Sie den Ablauf erneut aus.',
    },
    source_forbidden: {
      name: 'Lesen nicht erlaubt',
      fix: 'Erlauben Sie dem Konto der Quelle, dies zu sehen, und führen Sie den Ablauf erneut aus.',
    },
    source_not_found: {
      name: 'In der Quelle nicht gefunden',
      fix: 'Nichts, wenn das Dokument gelöscht wurde; der nächste Lauf entfernt es.',
    },
    source_space_missing: {
      name: 'Ein ausgewählter Bereich existiert nicht',
      fix: 'Wählen Sie die Bereiche neu, und führen Sie den Ablauf erneut aus.',
    },
    source_filter_wrong: {
      name: 'Die Quelle hat den Filter abgelehnt',
      fix: 'Korrigieren Sie den Filter der Quelle, und führen Sie den Ablauf erneut aus.',
    },
    source_misread: {
      name: 'Die Quelle hat unerwartet geantwortet',
      fix: 'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, melden Sie es mit der Kennung des Laufs.',
    },
    source_not_a_wiki: {
      name: 'Die Adresse gehört zu einem System anderer Art',
      fix: 'Korrigieren Sie die Adresse der Quelle, und führen Sie den Ablauf erneut aus.',
    },
    source_answer_too_long: {
      name: 'Antwort zu lang',
      fix: 'Das Dokument ist größer, als Millrace lesen kann. Teilen Sie es in der Quelle.',
    },
    source_failed: {
      name: 'Fehler der Quelle',
      fix: 'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, bitten Sie die Administratoren des Quellsystems, dessen Protokoll zu prüfen.',
    },
    other_site: {
      name: 'Die Quelle zeigt jetzt eine andere Installation',
      fix: 'Korrigieren Sie die Adresse der Quelle, oder legen Sie für die andere Installation eine neue Quelle an.',
    },
    document_broken: {
      name: 'Beschädigte Datei',
      fix: 'Öffnen Sie sie in der Quelle. Wenn sie sich dort öffnen lässt, speichern Sie sie neu, und wiederholen Sie sie.',
    },
    document_too_large: {
      name: 'Zu groß',
      fix: 'Teilen Sie das Dokument in der Quelle, und wiederholen Sie es.',
    },
    file_too_large: {
      name: 'Datei zu groß',
      fix: 'Die Datei wird übersprungen, bis sie sich ändert. Verkleinern Sie sie in der Quelle, um sie zu indizieren.',
    },
    document_unsupported: {
      name: 'Nicht unterstützter Dateityp',
      fix: 'Die Datei wird übersprungen. Speichern Sie sie in einem anderen Dateityp, um sie zu indizieren.',
    },
    document_gone: {
      name: 'Während des Laufs gelöscht',
      fix: 'Nichts. Es wurde zwischen Auflisten und Lesen gelöscht.',
    },
    worker_stopped: {
      name: 'Prozess bei der Verarbeitung abgestürzt',
      fix: 'Teilen Sie das Dokument oder speichern Sie es in einem anderen Dateityp, und wiederholen Sie es.',
    },
    embedder_failed: {
      name: 'Einbetten fehlgeschlagen',
      fix: 'Prüfen Sie das Einbetten im Ablauf, und führen Sie ihn erneut aus.',
    },
    model_failed: {
      name: 'Fehler des Modells',
      fix: 'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, prüfen Sie das Modell des Ablaufs.',
    },
    model_unauthorized: {
      name: 'Das Modell hat die Zugangsdaten abgelehnt',
      fix: 'Bitten Sie den Betreiber des Dienstes, die Zugangsdaten des Modellanbieters zu prüfen.',
    },
    model_tokens_used_up: {
      name: 'Die Modell-Tokens für heute sind verbraucht',
      fix: 'Wiederholen Sie es morgen, oder bitten Sie den Betreiber des Dienstes um mehr.',
    },
    destination_unreachable: {
      name: 'Das Ziel ist nicht erreichbar',
      fix: 'Prüfen Sie seine Adresse und ob das System läuft, und führen Sie den Ablauf erneut aus.',
    },
    destination_unauthorized: {
      name: 'Das Ziel hat die Zugangsdaten abgelehnt',
      fix: 'Geben Sie Zugangsdaten ein, die in den Index schreiben dürfen, und führen Sie den Ablauf erneut aus.',
    },
    destination_index_missing: {
      name: 'Der Index existiert nicht',
      fix: 'Legen Sie den Index auf der Seite des Ziels an, und führen Sie den Ablauf erneut aus.',
    },
    destination_schema: {
      name: 'Die Felder des Index passen nicht',
      fix: 'Testen Sie die Verbindung des Ziels: Der Test nennt die Felder. Oder schreiben Sie in einen neuen Index.',
    },
    destination_overloaded: {
      name: 'Das Ziel ist überlastet',
      fix: 'Führen Sie den Ablauf später erneut aus. Er fährt dort fort, wo dieser Lauf endete.',
    },
    destination_read_only: {
      name: 'Das Ziel nimmt keine Änderungen an',
      fix: 'Machen Sie den Index beschreibbar, oft durch Freigeben von Speicherplatz, und führen Sie den Ablauf erneut aus.',
    },
    destination_rejected: {
      name: 'Vom Ziel abgelehnt',
      fix: 'Testen Sie die Verbindung des Ziels, und wiederholen Sie es.',
    },
    destination_full: {
      name: 'Das Ziel ist voll',
      fix: 'Verwenden Sie ein eigenes Ziel, oder entfernen Sie Dokumente aus diesem. Führen Sie den Ablauf dann erneut aus.',
    },
    index_taken: {
      name: 'Ein anderer Ablauf schreibt diese Quelle in den Index',
      fix: 'Verwenden Sie einen anderen Index, oder löschen Sie den anderen Ablauf.',
    },
    egress_refused: {
      name: 'Der Dienst darf sich nicht mit dieser Adresse verbinden',
      fix: 'Korrigieren Sie die Adresse, oder bitten Sie den Betreiber des Dienstes, sie zu erlauben.',
    },
    secret_unreadable: {
      name: 'Ein gespeichertes Geheimnis ist nicht lesbar',
      fix: 'Geben Sie die Zugangsdaten der Konnektoren neu ein, und führen Sie den Ablauf erneut aus.',
    },
    settings_changed: {
      name: 'Die Einstellungen haben sich während des Laufs geändert',
      fix: 'Führen Sie den Ablauf erneut aus. Der nächste Lauf verwendet die neuen Einstellungen.',
    },
    workflow_deleted: { name: 'Der Ablauf wurde gelöscht', fix: 'Nichts.' },
    service_closing: {
      name: 'Der Dienst wurde beendet',
      fix: 'Führen Sie den Ablauf erneut aus. Er fährt dort fort, wo dieser Lauf endete.',
    },
    cancelled: {
      name: 'Lauf angehalten',
      fix: 'Führen Sie den Ablauf erneut aus. Er fährt dort fort, wo dieser Lauf anhielt.',
    },
    taken_over: {
      name: 'Von einem anderen Lauf geschrieben',
      fix: 'Wiederholen Sie es, wenn kein anderer Lauf in denselben Index schreibt.',
    },
    internal: {
      name: 'Unerwarteter Fehler',
      fix: 'Führen Sie den Ablauf erneut aus. Wenn das öfter geschieht, bitten Sie den Betreiber des Dienstes, im Protokoll nach der Kennung des Laufs zu suchen.',
    },
  },
}

/** The service writes its messages in English; they name spaces, files and numbers. */
function withMessage(text: string): (message: string) => string {
  return (message) => `${text} Meldung: ${message}`
}
