import type { chartTexts as english } from '../charts.ts'

export const chartTexts: typeof english = {
  asTable: 'Als Tabelle anzeigen',
  asChart: 'Als Diagramm anzeigen',
}
