import { amount, count } from '../locale.ts'
import type { workflowsTexts as english } from '../workflows.ts'
import { counted, inDative, plural } from './nouns.ts'
import { stateTexts } from './states.ts'

const providers = {
  openai: 'OpenAI oder kompatibel',
  azure_openai: 'Azure OpenAI',
  anthropic: 'Anthropic',
  bedrock: 'Amazon Bedrock',
  togetherai: 'Together',
  voyageai: 'Voyage',
  cohere: 'Cohere',
}
const enrichmentTitles = {
  image_description: 'Bilder beschreiben',
  table_description: 'Tabellen beschreiben',
  table2html: 'Tabellen in HTML umwandeln',
  ner: 'Namen und Begriffe finden',
  ocr: 'Text in Bildern lesen',
}

function enrichments(word: (provider: string, kind: string) => string): Record<string, string> {
  const named = Object.entries(providers).flatMap(([provider, name]) =>
    Object.entries(enrichmentTitles).map(([kind, title]) => [`${provider}_${kind}`, word(name, title)]),
  )
  return { ...Object.fromEntries(named), twopass_table2html: enrichmentTitles.table2html }
}

const weekdays = ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag']
const phrases: Record<string, string> = {
  'every 15 minutes': 'Alle 15 Minuten',
  'every hour': 'Jede Stunde',
  'every 2 hours': 'Alle 2 Stunden',
  'every 4 hours': 'Alle 4 Stunden',
  'every 6 hours': 'Alle 6 Stunden',
  'every 8 hours': 'Alle 8 Stunden',
  'every 10 hours': 'Alle 10 Stunden',
  'every 12 hours': 'Alle 12 Stunden',
}

export const workflowsTexts: typeof english = {
  title: 'Abläufe',
  description: 'Ein Ablauf kopiert Dokumente aus einer Quelle in ein Ziel, auf Wunsch oder nach Zeitplan.',
  new: 'Neuer Ablauf',
  list: 'Abläufe',
  columns: {
    name: 'Name',
    path: 'Quelle → Ziel',
    schedule: 'Zeitplan',
    runs: 'Letzte Läufe',
    active: 'Aktiv',
    run: 'Ausführen',
    actions: 'Aktionen',
  },
  needsOperator: (role: string) =>
    `Nur Bediener, Entwickler und Administratoren können Abläufe anlegen und ausführen. Ihre Rolle hier ist ${role}.`,
  needsDeveloper: (role: string) =>
    `Eine Vorschau liest mit dem Konto der Quelle, daher können sie nur Entwickler und Administratoren verwenden. Ihre Rolle hier ist ${role}.`,
  noConnector: 'Fehlt',
  empty: {
    title: 'Noch keine Abläufe',
    text: 'Ein Ablauf liest Dokumente aus einer Quelle, macht daraus Elemente und schreibt sie mit ihren Berechtigungen in ein Ziel.',
  },
  nextRun: (when: string) => `Nächster Lauf: ${when}`,
  paused: 'Pausiert',
  toggle: (name: string) => `${name} aktiv`,
  on: 'Aktiv',
  off: 'Pausiert',
  resumedNotice: (name: string) => `${name} fortgesetzt.`,
  pausedNotice: (name: string) => `${name} pausiert.`,
  run: 'Ausführen',
  startRun: 'Lauf starten',
  runNamed: (name: string) => `${name} ausführen`,
  running: 'Läuft',
  openRun: (name: string) => `Aktiven Lauf von ${name} öffnen`,
  whyNoRun: {
    paused: 'Dieser Ablauf ist pausiert.',
    incomplete: 'Wählen Sie zuerst eine Quelle und ein Ziel.',
    unsaved: 'Speichern Sie zuerst Ihre Änderungen.',
    role: 'Ihre Rolle darf keine Abläufe ausführen.',
  },
  noRuns: 'Noch nie gelaufen',
  incomplete: 'Unvollständig',
  summary: (runs: number, parts: string) =>
    `${runs === 1 ? 'Der letzte Lauf' : `Die letzten ${runs} Läufe`}: ${parts}`,
  summaryPart: (count: number, state: string) => `${count}× ${state}`,
  bar: (when: string, state: string, took: string) => `${when}: ${state}, ${took}`,
  failed: (documents: number) => `${count(documents)} fehlgeschlagen`,
  heldBack: (documents: number) => `${count(documents)} zurückgehalten`,
  notStarted: 'nicht begonnen',
  menu: (name: string) => `Weitere Aktionen für ${name}`,
  edit: 'Bearbeiten',
  duplicate: 'Duplizieren',
  export: 'Als YAML exportieren',
  delete: 'Löschen',
  copyOf: (name: string) => `${name} (Kopie)`,
  deleteTitle: (name: string) => `Ablauf ${name} löschen`,
  deleteText: 'Er wird nicht mehr ausgeführt. Seine früheren Läufe bleiben in der Liste.',
  deleteElements: (destination: string | undefined) =>
    `Seine Elemente ${destination ? `in ${destination}` : 'im Index'}`,
  deleteChoices: {
    keep: {
      label: 'Im Index behalten',
      help: 'Die Elemente werden nicht mehr aktualisiert, und die Suche von Millrace zeigt sie nicht mehr. Systeme, die den Index direkt abfragen, finden sie weiterhin, mit Berechtigungen, die veralten. Ein neuer Ablauf mit derselben Quelle und demselben Index übernimmt sie.',
    },
    remove: {
      label: 'Aus dem Index entfernen',
      help: 'Die Suche verbirgt sie sofort, und ein Lauf entfernt sie. Das lässt sich nicht rückgängig machen.',
    },
  },
  deleteConfirm: { keep: 'Ablauf löschen', remove: 'Ablauf und Elemente löschen' },
  deleted: {
    keep: (name: string) => `${name} gelöscht. Seine Elemente bleiben im Index.`,
    remove: (name: string) => `${name} gelöscht. Seine Elemente werden aus dem Index entfernt.`,
  },

  build: {
    guided: 'Schritt für Schritt',
    guidedText:
      'Verbinden Sie eine Quelle und ein Ziel, wählen Sie, was gelesen wird, und starten Sie den ersten Lauf.',
    custom: 'Im Editor',
    customText: 'Wählen Sie jeden Schritt der Verarbeitung, mit Vorschau eines Dokuments nach jedem Schritt.',
  },
  form: {
    name: 'Name',
    nameHelp: 'Erscheint in Listen und Läufen.',
    nameExample: 'Handbuch in die Suche',
    nameMissing: 'Geben Sie einen Namen ein.',
    source: 'Quelle',
    sourceHelp: 'Woher Dokumente gelesen werden.',
    destination: 'Ziel',
    destinationHelp: 'Wohin Elemente geschrieben werden.',
    choose: 'Bitte wählen',
    none: 'Noch nichts angelegt.',
    createConnector: { source: 'Neue Quelle', destination: 'Neues Ziel' },
    never: 'Nur auf Wunsch',
    reprocess: 'Alle Dokumente neu verarbeiten',
    reprocessHelp:
      'Jeder Lauf verarbeitet jedes Dokument neu. Sonst verarbeiten Läufe nur geänderte Dokumente, was meist genügt.',
    swap: 'Index austauschen',
    swapHelp:
      'Ein Lauf, der jedes Dokument verarbeitet, füllt einen neuen Index und ersetzt den alten, sobald er vollständig ist. Das Ziel muss einen Alias verwenden.',
    permissions: {
      schedule: 'Zeitplan der Berechtigungen',
      scheduleHelp:
        'Wie oft zwischen den Läufen nur die Berechtigungen gelesen werden, ohne Text. Pausiert, solange der Ablauf pausiert ist.',
      phrases: {
        'every 1 minute': 'Jede Minute',
        'every 5 minutes': 'Alle 5 Minuten',
        'every 15 minutes': 'Alle 15 Minuten',
        'every 30 minutes': 'Alle 30 Minuten',
        'every 60 minutes': 'Jede Stunde',
        'every 240 minutes': 'Alle 4 Stunden',
        'every 1440 minutes': 'Jeden Tag',
        off: 'Nur bei Läufen',
      },
      hours: ' Stunden',
      maxAge: {
        label: 'Höchstalter der Berechtigungen',
        help: 'Die Suche verbirgt Dokumente, deren Berechtigungen länger nicht gelesen wurden. Leer: kein Höchstalter.',
        empty: 'Kein Höchstalter',
      },
      hideInIndex: {
        label: 'Im Index verbergen nach',
        help: 'Für Systeme, die den Index direkt abfragen: Dokumente mit älteren Berechtigungen haben im Index keine Leser. Leer: nie.',
        empty: 'Nie',
      },
    },
  },

  schedule: {
    label: 'Zeitplan',
    help: 'Läufe eines Ablaufs überschneiden sich nie.',
    phrases,
    said: (choice) => {
      switch (choice.mode) {
        case 'interval':
          return phrases[choice.phrase]
        case 'daily':
          return `Täglich um ${choice.time} Uhr`
        case 'weekly':
          return `${choice.days.map((day) => weekdays[day]).join(', ')} um ${choice.time} Uhr`
        case 'monthly':
          return `Monatlich am ${choice.day}. um ${choice.time} Uhr`
        case 'cron':
          return `Cron ${choice.cron}`
        default:
          return undefined
      }
    },
    modes: { daily: 'Täglich', weekly: 'Wöchentlich', monthly: 'Monatlich', cron: 'Cron-Ausdruck' },
    time: 'Uhrzeit',
    days: 'Tage',
    weekdays,
    day: 'Tag des Monats',
    zone: 'Zeitzone',
    cron: 'Cron-Ausdruck',
    cronHelp:
      'Minute, Stunde, Tag des Monats, Monat, Wochentag. Zwischen zwei Läufen liegen mindestens 15 Minuten.',
    nextRuns: 'Nächste Läufe:',
  },

  editor: {
    newTitle: 'Neuer Ablauf',
    save: 'Speichern',
    create: 'Ablauf anlegen',
    saved: (name: string) => `${name} gespeichert.`,
    savedNodes: 'Die Schritte haben sich geändert, daher verarbeitet der nächste Lauf jedes Dokument neu.',
    unsaved: 'Nicht gespeicherte Änderungen',
    undo: 'Rückgängig',
    redo: 'Wiederholen',
    views: { overview: 'Überblick', steps: 'Schritte', yaml: 'YAML', preview: 'Vorschau' },
    viewsLabel: 'Ansichten',
    leaveTitle: 'Ohne Speichern verlassen',
    leaveText: 'Nicht gespeicherte Änderungen gehen verloren.',
    leave: 'Verlassen',
    copyHint:
      'Nur ein Ablauf kann aus einer Quelle in einen Index schreiben. Wählen Sie für die Kopie eine andere Quelle oder ein anderes Ziel.',
    workflow: 'Dieser Ablauf',
    workflowText: 'Wählen Sie einen Schritt, um seine Einstellungen zu ändern.',
    steps: 'Schritte des Ablaufs',
    open: 'Einstellungen',
    openInvalid: 'Einstellungen, mit Fehlern',
    addAfter: (name: string) => `Schritt nach ${name} hinzufügen`,
    remove: 'Entfernen',
    removeNamed: (name: string) => `${name} entfernen`,
    moveUp: (name: string) => `${name} nach oben`,
    moveDown: (name: string) => `${name} nach unten`,
    closePane: 'Schließen',
    chunkerNeeded: 'Vor dem Einbetten muss das Aufteilen stehen. Entfernen Sie zuerst das Einbetten.',
    partitionerNeeded: 'Jeder Ablauf beginnt mit dem Zerlegen.',
    notChosen: 'Noch nicht gewählt',
    added: (name: string) => `${name} hinzugefügt.`,
    removed: (name: string) => `${name} entfernt.`,
    moved: (name: string, position: number) => `${name} an Position ${position} verschoben.`,
    warnings: 'Erlaubt, aber vermutlich ein Versehen',
    chunksTooLong:
      'Das Einbetten liest etwa 1.000 Zeichen. Den Rest längerer Abschnitte findet die Suche nur über Wörter, nicht über die Bedeutung.',
  },

  nodes: {
    source: { name: 'Quelle', about: 'Liest Dokumente und ihre Berechtigungen.' },
    destination: { name: 'Ziel', about: 'Schreibt Elemente mit den Berechtigungen ihres Dokuments.' },
    partition: {
      name: 'Zerlegen',
      about: 'Macht aus einem Dokument Elemente: Überschriften, Absätze, Listen, Tabellen.',
    },
    prompter: { name: 'Anreichern', about: 'Ergänzt Elemente mit einem Sprachmodell um Text.' },
    chunk: {
      name: 'Aufteilen',
      about: 'Fasst Elemente zu Abschnitten in passender Größe für die Suche zusammen.',
    },
    embed: { name: 'Einbetten', about: 'Gibt jedem Abschnitt einen Vektor, für die Suche nach Bedeutung.' },
  },
  node: {
    name: 'Name',
    subtype: 'Art',
    needsModel:
      'Das Anreichern braucht einen Modellanbieter. Der Betreiber des Dienstes setzt MILLRACE_OPENAI_API_KEY oder einen anderen Schlüssel.',
    anyModel: 'MILLRACE_OPENAI_API_KEY oder ein anderer Schlüssel',
    unset: (kind: string, variables: string) => `${kind} (nicht eingerichtet: ${variables})`,
    subtypes: {
      auto: 'Automatisch: je nach Dokument',
      fast: 'Schnell',
      hi_res: 'Hohe Auflösung',
      chunk_by_title: 'Nach Überschriften: Ein Abschnitt reicht nie über ein Kapitel hinaus',
      chunk_by_character: 'Nach Zeichen: so lang wie erlaubt',
      chunk_by_page: 'Nach Seiten: Ein Abschnitt reicht nie über eine Seite einer Datei hinaus',
      chunk_by_similarity: 'Nach Ähnlichkeit: benachbarte Elemente zum selben Thema',
      local: 'Eingebaut, auf diesem Server',
      vlm: 'Bildmodell für Bilder, schnell für den Rest',
      ...providers,
      ...enrichments((provider, kind) => `${kind}: ${provider}`),
    },
    short: {
      auto: 'Automatisch',
      fast: 'Schnell',
      hi_res: 'Hohe Auflösung',
      chunk_by_title: 'Nach Überschriften',
      chunk_by_character: 'Nach Zeichen',
      chunk_by_page: 'Nach Seiten',
      chunk_by_similarity: 'Nach Ähnlichkeit',
      local: 'all-minilm-l6-v2',
      vlm: 'Bildmodell',
      ...providers,
      ...enrichments((_, kind) => kind),
    },
    otherSettings: (names: string) =>
      `Weitere Einstellungen aus API oder YAML, die erhalten bleiben: ${names}.`,
    missing: (title: string) => `${title} fehlt.`,
    notANumber: (title: string) => `${title} muss eine Zahl sein.`,
    settings: {
      exclude_elements: {
        title: 'Auslassen',
        description: 'Arten von Elementen, die nicht geschrieben werden.',
      },
      max_characters: {
        title: 'Höchstzahl der Zeichen',
        description: 'Kein Abschnitt ist länger. Das Einbetten liest etwa 1.000.',
      },
      new_after_n_chars: {
        title: 'Neuer Abschnitt ab',
        description: 'Ein Abschnitt mit so vielen Zeichen nimmt kein weiteres Element auf.',
      },
      combine_text_under_n_chars: {
        title: 'Kapitel zusammenfassen unter',
        description:
          'Ein kürzeres Kapitel wird mit dem nächsten zusammengefasst. Bei 0 bleiben alle Kapitel getrennt.',
      },
      similarity_threshold: {
        title: 'Ähnlichkeitsschwelle',
        description:
          'Von 0,01 bis 0,99. Je höher, desto ähnlicher müssen benachbarte Elemente für einen gemeinsamen Abschnitt sein.',
      },
      overlap: {
        title: 'Überlappung',
        description: 'Wird ein Element geteilt, beginnt jeder Teil mit so vielen Zeichen des Teils davor.',
      },
      overlap_all: {
        title: 'Überlappung zwischen allen Abschnitten',
        description: 'Auch zwischen Abschnitten verschiedener Elemente.',
      },
      multipage_sections: {
        title: 'Kapitel über Seiten hinweg',
        description: 'In Dateien darf ein Kapitel auf der nächsten Seite weitergehen.',
      },
      include_orig_elements: {
        title: 'Ursprüngliche Elemente behalten',
        description: 'Jeder Abschnitt speichert auch seine Elemente, was den Index vergrößert.',
      },
      remote_model_name: {
        title: 'Modell',
        description:
          'Leer: das Standardmodell des Anbieters. Der Text der Abschnitte wird an den Anbieter gesendet.',
      },
      dimensions: {
        title: 'Dimensionen',
        description:
          'Weniger als der Standard des Modells, wenn es das unterstützt. Bei einem unbekannten Modell nötig.',
      },
      model: {
        title: 'Modell',
        description: 'Leer: der Standard dieses Dienstes. Der Inhalt wird an den Anbieter gesendet.',
      },
      model_name: { title: 'Modell', description: '384 Dimensionen. Kein Text verlässt diesen Server.' },
    },
  },

  yaml: {
    label: 'YAML des Ablaufs',
    help: 'Gültige Änderungen gelten sofort in den anderen Ansichten. Mit Speichern bleiben sie erhalten. Tab rückt ein; mit Escape und dann Tab verlassen Sie den Text.',
    valid: 'Gültig.',
    download: 'Exportieren',
    open: 'Datei importieren',
    copyWhat: 'das YAML',
    line: (line: number) => `Zeile ${line}`,
    problems: (count: number) =>
      amount(count, { one: '1 Zeile hat einen Fehler:', other: '{n} Zeilen haben Fehler:' }),
    tooLarge: 'Diese Datei ist größer als 100 KB, die Obergrenze für einen Ablauf.',
    pending: {
      title: (problems: number) =>
        amount(problems, {
          one: 'Das YAML hat einen Fehler in 1 Zeile',
          other: 'Das YAML hat Fehler in {n} Zeilen',
        }),
      text: 'Die anderen Ansichten zeigen den Ablauf vor Ihrem Text. Korrigieren Sie den Text, oder verwerfen Sie ihn, um hier weiterzumachen.',
      edit: 'YAML korrigieren',
      discard: 'Text verwerfen',
    },
    alias: 'Verweise (*name) werden nicht unterstützt. Schreiben Sie den Wert aus.',
    notMapping: 'Ein Ablauf besteht aus Zeilen der Form name: Wert.',
    unknownKey: (key: string, known: string) => `Unbekannter Schlüssel „${key}“. Bekannt sind: ${known}.`,
    text: (key: string) => `${key} muss ein Text sein.`,
    flag: (key: string) => `${key} muss true oder false sein.`,
    nodesList: 'nodes muss eine Liste sein.',
    nodeMapping: 'Ein Eintrag in nodes braucht type und kann subtype, name und settings haben.',
    unknownType: (type: string) =>
      `Unbekannter Typ „${type}“. Bekannt sind: partition, prompter, chunk, embed.`,
    settingsMapping: 'settings besteht aus Zeilen der Form name: Wert.',
    hours: (key: string) => `${key} muss eine Zahl über 0 sein, oder leer.`,
    unknownConnector: (kind: string, name: string) =>
      `In diesem Arbeitsbereich gibt es ${kind === 'source' ? 'keine Quelle' : 'kein Ziel'} mit dem Namen „${name}“.`,
  },

  overview: {
    facts: 'Letzter und nächster Lauf',
    lastRun: 'Letzter Lauf',
    openRun: 'Lauf öffnen',
    nextRun: 'Nächster Lauf',
    permissions: 'Älteste Berechtigungen',
    permissionsHelp: 'Wann sie zuletzt vollständig gelesen wurden',
    never: 'Noch nicht gelesen',
    runs: {
      description: (runs: number) =>
        runs === 1 ? 'Bisher der einzige Lauf.' : `Die letzten ${runs} Läufe, ältester zuerst.`,
      all: 'Alle Läufe',
      empty: 'Dieser Ablauf ist noch nie gelaufen.',
      run: 'Lauf',
      documents: 'Dokumente je Lauf',
      documentsLabel: (runs: number) =>
        `Neue, geänderte, entfernte und fehlgeschlagene Dokumente von ${inDative(runs, 'Lauf')}`,
      new: 'Neu',
      changed: 'Geändert',
      removed: 'Entfernt',
      failed: 'Fehlgeschlagen',
    },
  },

  estimate: {
    limited:
      'Eine Obergrenze der Quelle lässt Dokumente aus. Erhöhen Sie sie in den Einstellungen der Quelle.',
    documents: 'Dokumente',
    elements: 'Elemente',
    time: 'Zeit',
    about: (value: string) => `Etwa ${value}`,
    unknown: 'Unbekannt',
    lastRun: (documents: string) => `${documents} im letzten Lauf`,
    fromDocuments: (documents: string) => `Aus ${documents} Dokumenten im Index`,
    fromRuns: (runs: number) => (runs === 1 ? 'Wie der Lauf davor' : `Median der ${runs} Läufe davor`),
  },

  permissions: {
    title: 'Berechtigungen',
    description: (scope: string, hours: number | null) =>
      hours === null
        ? `Wann die Berechtigungen je ${scope} zuletzt aus der Quelle gelesen wurden. Es gibt kein Höchstalter.`
        : `Wann die Berechtigungen je ${scope} zuletzt aus der Quelle gelesen wurden. Die Suche verbirgt ${plural(scope)}, deren Berechtigungen älter sind als ${counted(hours, 'Stunde')}.`,
    list: (scope: string) => `Berechtigungen je ${scope}`,
    columns: { age: 'Zuletzt gelesen', status: 'Status' },
    empty: 'Noch keine Berechtigungen gelesen. Der erste Lauf liest sie.',
    paused: 'Der Ablauf ist pausiert, daher werden seine Berechtigungen nur auf Wunsch gelesen.',
    read: 'Berechtigungen jetzt lesen',
    whyNot: {
      role: 'Ihre Rolle darf keine Berechtigungen lesen.',
      reading: 'Die Berechtigungen werden gerade gelesen.',
    },
    progress: (read: number, all: number, scope: string) =>
      `Berechtigungen gelesen: ${count(read)} von ${count(all)} (${plural(scope)}).`,
    openRun: 'Lauf öffnen',
    outcome: (state: keyof typeof stateTexts) => `Lesen der Berechtigungen: ${stateTexts[state]}.`,
    hiddenTitle: (scopes: number, scope: string) => `Die Suche verbirgt ${counted(scopes, scope)}`,
    hiddenText:
      'Die Berechtigungen sind zu alt oder wurden nie vollständig gelesen, daher findet niemand diese Dokumente. Lesen Sie die Berechtigungen jetzt. Scheitert das, öffnen Sie den Lauf, um den Grund zu sehen, und testen Sie die Verbindung der Quelle.',
  },

  preview: {
    readers: {
      title: 'Leser:',
      none: 'niemand',
      more: (readers: number) => ` und ${count(readers)} weitere`,
    },
    openDocument: 'Leser, Fassungen und Verlauf',
    about:
      'Verarbeitet ein Dokument mit den gespeicherten Schritten und zeigt das Ergebnis jedes Schritts. Nichts wird geschrieben.',
    choice: 'Dokument für die Vorschau',
    first: 'Erste Dokumente der Quelle',
    fromLastRun: 'Dokumente des letzten Laufs',
    start: 'Vorschau',
    again: 'Vorschau wiederholen',
    unsaved: 'Die Vorschau verwendet die gespeicherten Schritte. Speichern Sie, um Ihre Änderungen zu sehen.',
    notSaved: 'Speichern Sie den Ablauf zuerst. Eine Vorschau verwendet die gespeicherten Schritte.',
    noSource: 'Wählen Sie zuerst eine Quelle, und speichern Sie.',
    waiting: 'Dokumente werden gelesen und verarbeitet. Das dauert bis zu einer Minute.',
    none: 'Die Quelle hat keine Dokumente.',
    document: 'Angezeigtes Dokument',
    original: 'Originaldokument',
    originalLabel: (title: string) => `Dokument ${title} wie gelesen, ohne Skripte und Bilder`,
    noHtml: 'Dieses Dokument lässt sich nicht anzeigen: Es ist kein HTML, oder es ist zu groß.',
    openOriginal: (system: string) => `Öffnen in: ${system}`,
    results: 'Ergebnis',
    after: (name: string) => `Nach ${name}`,
    counts: (shown: number, all: number, what: string) =>
      shown < all ? `Die ersten ${shown} von ${all} (${what})` : `${all} ${what}`,
    elements: 'Elemente',
    chunks: 'Abschnitte',
    vectors: (dims: number) =>
      `Jeder Abschnitt hat einen Vektor mit ${dims} Dimensionen. Der erste beginnt mit:`,
    warnings: 'Warnungen',
  },
}
