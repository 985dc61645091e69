import type { optionTexts as english } from '../options.ts'

export const optionTexts: typeof english = {
  all: 'Alle',
  embedded: 'Eingebettete',
  current: 'Aktuelle',
  archived: 'Archivierte',
  hide: 'Verbergen (hide)',
  open: 'Offen (open)',
  'verify-full': 'Verschlüsseln und prüfen (verify-full)',
  prefer: 'Verschlüsseln, wenn möglich (prefer)',
  disable: 'Nicht verschlüsseln (disable)',
  Title: 'Überschriften',
  NarrativeText: 'Absätze',
  ListItem: 'Listeneinträge',
  Table: 'Tabellen',
  CodeSnippet: 'Quelltext',
  Image: 'Bilder',
  FigureCaption: 'Bildunterschriften',
  UncategorizedText: 'Sonstiger Text',
}
