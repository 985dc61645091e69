import type { roleTexts as english } from '../roles.ts'

export const roleTexts: typeof english = {
  reader: { name: 'Leser', may: 'kann nur suchen, mit eigenen Berechtigungen' },
  viewer: { name: 'Betrachter', may: 'kann auch alles ansehen' },
  operator: { name: 'Bediener', may: 'kann auch Abläufe anlegen und ausführen' },
  developer: { name: 'Entwickler', may: 'kann auch Konnektoren und API-Schlüssel anlegen' },
  administrator: {
    name: 'Administrator',
    may: 'kann auch Mitglieder und alle Schlüssel verwalten und als beliebige Person suchen',
  },
}
