import type { Translation } from '../type.ts'

export const postgresInGerman: Translation = {
  about:
    'Eine Tabelle in einer PostgreSQL-Datenbank, mit Textsuche und Vektoren; pgvector wird verwendet, wo es vorhanden ist.',
  terms: { system: 'Datenbankserver', scope: 'Tabelle', document: 'Element' },
  setup: [
    {
      title: 'Rolle anlegen',
      text: 'Führen Sie diese Anweisungen als Eigentümer der Datenbank aus, und geben Sie millrace.elements als Tabelle ein. Der erste Lauf legt die Tabelle an.',
      links: [{ title: 'Rollen in PostgreSQL' }],
      snippets: [{ title: 'Anweisungen für eine Rolle mit den geringsten Rechten' }],
    },
  ],
  settings: {
    host: { title: 'Server', description: 'Name oder Adresse des Servers, ohne Port.' },
    port: { description: 'Der Port des Servers.' },
    database: {
      title: 'Datenbank',
      description: 'Der Name der Datenbank. Sie muss existieren und die Kodierung UTF8 haben.',
    },
    username: {
      title: 'Benutzername',
      description: 'Die Rolle, die schreibt. Sie braucht nur Rechte für eine Tabelle.',
    },
    password: { title: 'Passwort', description: 'Das Passwort der Rolle.' },
    table_name: {
      title: 'Tabelle',
      description:
        'Der Name der Tabelle, oder schema.tabelle; ohne Schema gilt public. Der erste Lauf legt eine fehlende Tabelle an, wenn die Rolle das darf.',
    },
    ssl_mode: {
      title: 'Verschlüsselung',
      description:
        'verify-full verschlüsselt und prüft Zertifikat und Namen des Servers. prefer verschlüsselt, wenn der Server es kann, und prüft nichts. disable sendet alles unverschlüsselt. Ohne Auswahl: prefer für private Adressen und Namen ohne Punkt, wenn kein CA-Zertifikat gesetzt ist, sonst verify-full.',
    },
    ca_certificate: {
      title: 'CA-Zertifikat',
      description:
        'Das Zertifikat der eigenen Zertifizierungsstelle des Servers, in PEM. Für öffentliche Stellen nicht nötig.',
    },
    batch_size: {
      title: 'Zeilen je Anweisung',
      description: 'Wie viele Zeilen eine Anweisung schreibt.',
    },
  },
  steps: {
    reach: 'Erreichen',
    'sign-in': 'Anmelden',
    privileges: 'Rechte',
    table: 'Tabelle',
    schema: 'Spalten',
    vectors: 'Vektoren',
  },
}
