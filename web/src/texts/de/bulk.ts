import type { bulkTexts as english } from '../bulk.ts'
import { amount } from '../locale.ts'
import { counted, inDative } from './nouns.ts'

const runs = (number: number) => counted(number, 'Lauf')
const ofRuns = (number: number) => amount(number, { one: 'eines Laufs', other: 'von {n} Läufen' })
const failed = (documents: number) =>
  amount(documents, { one: '1 fehlgeschlagenes Dokument', other: '{n} fehlgeschlagene Dokumente' })

export const bulkTexts: typeof english = {
  label: 'Ausgewählte Läufe',
  select: (run: string) => `${run} auswählen`,
  column: 'Auswahl',
  selected: (number: number) => `${runs(number)} ausgewählt`,
  selectAll: (number: number) =>
    amount(number, {
      one: 'Den Lauf mit Fehlern oder zurückgehaltenen Dokumenten auswählen',
      other: 'Alle {n} Läufe mit Fehlern oder zurückgehaltenen Dokumenten auswählen',
    }),
  clear: 'Auswahl aufheben',
  results: 'Ergebnisse',
  failed: 'Nicht ausgeführt',
  isRunning: 'Der Ablauf läuft bereits. Versuchen Sie es nach diesem Lauf erneut.',
  open: 'Neuen Lauf öffnen',
  run: (workflow: string, at: string) => `${workflow}, ${at}`,
  retry: {
    action: (documents: number) => `${failed(documents)} wiederholen`,
    title: (documents: number, number: number) => `${failed(documents)} ${ofRuns(number)} wiederholen`,
    text: 'Zu jedem Lauf entsteht ein neuer, der nur dessen fehlgeschlagene Dokumente verarbeitet. Ein Ablauf läuft nur einmal zur selben Zeit, daher wird ein zweiter Lauf desselben Ablaufs abgelehnt.',
    confirm: (documents: number) => `${counted(documents, 'Dokument')} wiederholen`,
    done: (_: number) => 'Wiederholung gestartet',
  },
  approve: {
    action: (documents: number) => `Entfernen von ${inDative(documents, 'Dokument')} freigeben`,
    title: (documents: number, number: number) =>
      `${counted(documents, 'Dokument')} ${ofRuns(number)} aus dem Index entfernen`,
    text: 'Alle Elemente dieser Dokumente werden sofort aus dem Index entfernt. Die Quellen ändern sich nicht. Dokumente, die eine Quelle wieder auflistet, kommen mit dem nächsten Lauf zurück. Nur der letzte Lauf eines Ablaufs lässt sich freigeben.',
    confirm: (documents: number) => `${counted(documents, 'Dokument')} entfernen`,
    done: (removed: number) => `${counted(removed, 'Dokument')} entfernt`,
  },
}
