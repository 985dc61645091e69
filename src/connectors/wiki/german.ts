import type { Translation } from '../type.ts'

export const wikiInGerman: Translation = {
  about: 'Seiten aus Confluence, Cloud oder Data Center, mit ihren dortigen Berechtigungen.',
  terms: { system: 'Wiki', scope: 'Bereich', document: 'Seite' },
  signInModes: [
    {
      title: 'Benutzername und API-Token',
      description:
        'Üblich für Confluence Cloud: die E-Mail-Adresse des Kontos und ein Token aus dessen Einstellungen.',
      fields: [
        {},
        {
          title: 'API-Token',
          description:
            'In den Sicherheitseinstellungen des Kontos angelegt. Ein Token mit Scopes funktioniert auch.',
        },
      ],
    },
    {
      title: 'Persönliches Zugriffstoken',
      description: 'Üblich für Data Center: ein Token aus dem Profil, ohne Benutzernamen.',
      fields: [
        {
          title: 'Persönliches Zugriffstoken',
          description: 'Im Profil des lesenden Kontos angelegt.',
        },
      ],
    },
    {
      title: 'Benutzername und Passwort',
      description: 'Wenn Tokens abgeschaltet sind.',
      fields: [{}, { description: 'Das Passwort des lesenden Kontos.' }],
    },
  ],
  setup: [
    {
      title: 'API-Token anlegen',
      text: 'Melden Sie sich beim Anbieter mit dem lesenden Konto an. Jedes Konto mit Zugang zu den Bereichen genügt. Ein Token ohne Scopes hat die Berechtigungen seines Kontos; ein Token mit Scopes braucht die unten genannten.',
      links: [{ title: 'API-Tokens des Kontos' }],
      snippets: [{ title: 'Scopes eines Tokens mit Scopes' }],
    },
    {
      title: 'Persönliches Zugriffstoken anlegen',
      text: 'Melden Sie sich im Wiki mit dem lesenden Konto an. Es muss die Bereiche verwalten, damit deren Berechtigungen gelesen werden können, und Confluence-Administrator sein, damit die Mitglieder von Gruppen gelesen werden können.',
      links: [{ title: 'Persönliche Zugriffstokens des Kontos' }],
    },
  ],
  settings: {
    url: {
      title: 'Adresse des Wikis',
      description:
        'Die Adresse, unter der man das Wiki im Browser öffnet. Die Adresse einer Seite oder eines Bereichs wird gekürzt.',
    },
    cloud: {
      title: 'Betriebsart',
      description: 'Cloud für ein Wiki auf atlassian.net, Data Center für ein Wiki auf eigenen Servern.',
    },
    username: {
      title: 'Benutzername',
      description: 'Die E-Mail-Adresse des Kontos (Cloud) oder sein Benutzername (Data Center).',
    },
    token: {
      description:
        'Ein API-Token (Cloud), das den Benutzernamen braucht, oder ein persönliches Zugriffstoken (Data Center) ohne ihn.',
    },
    password: {
      title: 'Passwort',
      description: 'Anstelle eines Tokens. Braucht den Benutzernamen.',
    },
    spaces: {
      title: 'Bereiche',
      description:
        'Schlüssel der Bereiche, die gelesen werden. Leer: alle aktuellen Bereiche, auch persönliche.',
    },
    max_num_of_spaces: {
      title: 'Höchstzahl der Bereiche',
      description:
        'Gibt es mehr Bereiche, werden die mit den niedrigsten Kennungen gelesen, und der Lauf nennt die anderen.',
    },
    max_num_of_docs_from_each_space: {
      title: 'Höchstzahl der Seiten je Bereich',
      description:
        'Hat ein Bereich mehr Seiten, werden die mit den niedrigsten Kennungen gelesen, und der Lauf nennt den Bereich.',
    },
    extract_images: {
      title: 'Bilder',
      description:
        'Bilder der Seiten einbeziehen: angehängte Bilder und öffentliche Bilder über ihre Adresse.',
    },
    max_image_bytes: {
      title: 'Größtes Bild',
      description: 'In Bytes. Größere Bilder werden ausgelassen, und der Lauf nennt sie mit ihrer Größe.',
    },
    extract_files: {
      title: 'Dateien',
      description: 'Angehängte Dateien als eigene Dokumente lesen, mit den Berechtigungen ihrer Seite.',
    },
    files: {
      title: 'Welche Dateien',
      description:
        'Zu „Dateien“: alle angehängten Dateien oder nur jene, die der Text einer Seite zeigt oder verlinkt.',
    },
    include_blog_posts: {
      title: 'Blogbeiträge',
      description: 'Außer Seiten auch Blogbeiträge lesen.',
    },
    include_comments: {
      title: 'Kommentare',
      description: 'Offene Kommentare zu einer Seite (darunter und darin) als Teil der Seite lesen.',
    },
    statuses: {
      title: 'Status',
      description:
        'Aktuelle Seiten, archivierte Seiten oder beide lesen. Entwürfe und gelöschte Seiten werden nie gelesen.',
    },
    include_labels: {
      title: 'Nur diese Labels',
      description: 'Nur Seiten mit mindestens einem dieser Labels werden gelesen. Leer: alle Seiten.',
    },
    exclude_labels: {
      title: 'Ohne diese Labels',
      description: 'Seiten mit einem dieser Labels werden ausgelassen.',
    },
    cql: {
      description:
        'Nur Seiten, auf die diese CQL-Abfrage passt, werden gelesen. Die Suche des Wikis kann um Minuten zurückliegen.',
    },
    ca_certificate: {
      title: 'CA-Zertifikat',
      description:
        'Das Zertifikat der eigenen Zertifizierungsstelle des Wikis, in PEM. Für öffentliche Stellen nicht nötig.',
    },
    unproved_ancestors: {
      title: 'Seiten unter ungeprüften Ordnern',
      description:
        'Das Wiki meldet nicht jede Einschränkung von Ordnern, Whiteboards und Datenbanken. Lässt sich eine nicht ausschließen, zeigt hide die Seiten darunter nur Personen, die das Wiki bestätigt; open nimmt keine Einschränkung an.',
    },
  },
  steps: {
    'reach the wiki': 'Wiki erreichen',
    'sign in': 'Anmelden',
    version: 'Version',
    'what can be seen': 'Was sichtbar ist',
    'list spaces': 'Bereiche auflisten',
    'read a page': 'Eine Seite lesen',
    'read restrictions': 'Einschränkungen lesen',
    'read space permissions': 'Berechtigungen der Bereiche lesen',
    'read group members': 'Mitglieder von Gruppen lesen',
    'filter pages': 'Seiten filtern',
  },
}
