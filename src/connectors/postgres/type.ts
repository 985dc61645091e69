import type { DestinationType } from '../type.ts'
import { type PostgresConfig, postgresConfig, refuseServer, tableOf } from './config.ts'
import { postgresInGerman } from './german.ts'
import { postgresSetup } from './setup.ts'

export const postgres: DestinationType = {
  kind: 'destination',
  type: 'postgres',
  aliases: ['pgvector'],
  title: 'PostgreSQL',
  about: 'A table in a PostgreSQL database, with text search and vectors; pgvector is used where it exists.',
  icon: 'database',
  docs: 'docs/connectors/postgres.md',
  jobExample: `host: localhost
database: search
username: millrace
password: \${PGPASSWORD}
table_name: elements`,
  translations: { de: postgresInGerman },
  terms: { system: 'database server', scope: 'table', document: 'element' },
  capabilities: ['search', 'inspect', 'control'],
  setup: postgresSetup,
  schema: postgresConfig,
  fieldAliases: { user: 'username', table: 'table_name' },
  identity: (config: PostgresConfig) => {
    const { schema, table } = tableOf(config)
    return JSON.stringify([config.host.toLowerCase(), config.port, config.database, schema, table])
  },
  sandbox: ({ host, user, password, schema, table }) => ({
    host,
    database: 'sandbox',
    username: user,
    password,
    table_name: `${schema}.${table}`,
  }),
  addressFields: ['host', 'port', 'ssl_mode', 'ca_certificate'],
  locationFields: ['host', 'database', 'table_name'],
  stepFields: { reach: ['host'], 'sign-in': ['password'], table: ['table_name'] },
  refuse: refuseServer,
  open: async (config: PostgresConfig, context) =>
    (await import('./destination.ts')).openPostgres(config, context),
}
