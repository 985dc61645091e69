import type { Translation } from '../type.ts'

export const searchIndexInGerman: Translation = {
  title: 'Suchindex',
  about:
    'Ein Index von Elasticsearch in Elastic Cloud, oder in einem Elasticsearch- oder OpenSearch-Cluster, den der Betreiber des Dienstes erlaubt.',
  terms: { system: 'Suchcluster', scope: 'Index', document: 'Element' },
  setup: [
    {
      title: 'Elasticsearch: API-Schlüssel anlegen',
      text: 'Senden Sie diese Anfrage in den Entwicklerwerkzeugen von Kibana, oder fügen Sie das Objekt unter role_descriptors in das Formular für einen neuen Schlüssel ein. Geben Sie „encoded“ aus der Antwort als Schlüssel ein.',
      links: [{ title: 'Konsole von Elastic Cloud' }, { title: 'API-Schlüssel anlegen' }],
      snippets: [{ title: 'Anfrage für einen Schlüssel mit den geringsten Rechten' }],
    },
    {
      title: 'OpenSearch: Rolle anlegen',
      text: 'OpenSearch hat Benutzer und Rollen statt Schlüsseln. Ordnen Sie den Benutzer von Millrace dieser Rolle zu.',
      links: [{ title: 'Benutzer und Rollen von OpenSearch' }],
      snippets: [{ title: 'Anfrage für eine Rolle mit den geringsten Rechten' }],
    },
  ],
  settings: {
    hosts: { title: 'Server', description: 'Die Adressen des Suchclusters; eine genügt.' },
    search_api_key: {
      title: 'API-Schlüssel',
      description: 'Der kodierte Schlüssel, den der Cluster beim Anlegen zeigt, oder id:key.',
    },
    index_name: {
      description:
        'Der Name des Index. Wenn er nicht existiert, bietet der Test an, ihn anzulegen. Der erste Lauf legt in einem leeren Index die Felder an.',
    },
  },
  steps: {
    reach: 'Erreichen',
    key: 'Schlüssel',
    privileges: 'Rechte',
    index: 'Index',
    schema: 'Felder',
  },
}
