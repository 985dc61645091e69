import type { principalTexts as english } from '../principals.ts'

export const principalTexts: typeof english = {
  user: 'Person',
  group: 'Gruppe',
  classes: {
    'anonymous-users': 'alle, auch ohne Anmeldung',
    'all-licensed-users': 'alle mit Lizenz',
    'authenticated-users': 'alle Angemeldeten',
  },
  show: (name: string) => `${name}, Kennung anzeigen`,
  id: (name: string) => `die Kennung von ${name}`,
  ids: { user: 'Kontokennung', group: 'Gruppenkennung', class: 'Personengruppe', other: 'Eintrag' },
}
