import type { SetupStep } from '../type.ts'

/** Credentials for one index; docs/connectors/searchindex.md has the same bodies. */
export const searchIndexSetup: readonly SetupStep[] = [
  {
    title: 'Elasticsearch: create an API key',
    text:
      'Send this request in the developer tools of Kibana, or paste the object under role_descriptors into the form ' +
      'for a new key. Enter "encoded" of the response as the key.',
    links: [
      { title: 'Elastic Cloud console', address: 'https://cloud.elastic.co/home' },
      {
        title: 'How to create API keys',
        address: 'https://www.elastic.co/docs/deploy-manage/api-keys/elasticsearch-api-keys',
      },
    ],
    snippets: [
      {
        title: 'Request for a key with the least privileges',
        text: `POST /_security/api_key
{
  "name": "millrace",
  "role_descriptors": {
    "millrace": {
      "indices": [{ "names": ["{{index_name}}"], "privileges": ["read", "write", "view_index_metadata", "manage"] }]
    }
  }
}`,
      },
    ],
  },
  {
    title: 'OpenSearch: create a role',
    text: 'OpenSearch has users and roles instead of keys. Map the user of Millrace to this role.',
    links: [
      {
        title: 'Users and roles of OpenSearch',
        address: 'https://docs.opensearch.org/latest/security/access-control/users-roles/',
      },
    ],
    snippets: [
      {
        title: 'Request for a role with the least privileges',
        text: `PUT /_plugins/_security/api/roles/millrace
{
  "cluster_permissions": ["indices:data/write/bulk", "indices:data/read/mget", "indices:data/read/msearch"],
  "index_permissions": [
    {
      "index_patterns": ["{{index_name}}"],
      "allowed_actions": ["read", "indices:data/write/*", "indices:admin/get", "indices:monitor/settings/get", "indices:admin/mapping/put"]
    }
  ]
}`,
      },
    ],
  },
]
