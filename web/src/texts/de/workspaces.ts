import type { workspacesTexts as english } from '../workspaces.ts'

export const workspacesTexts: typeof english = {
  title: 'Arbeitsbereich wählen',
  description: 'Jeder Arbeitsbereich hat eigene Konnektoren, Abläufe, Läufe und Schlüssel.',
  none: {
    title: 'Noch keine Arbeitsbereiche',
    text: 'Bitten Sie einen Administrator Ihrer Organisation um eine Einladung.',
    create: 'Legen Sie unten den ersten an.',
  },
  new: 'Neuer Arbeitsbereich',
  name: 'Name',
  create: 'Arbeitsbereich anlegen',
  nameMissing: 'Geben Sie einen Namen ein.',
}
