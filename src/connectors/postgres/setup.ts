import type { SetupStep } from '../type.ts'

/** A role for one schema; docs/connectors/postgres.md has the same statements. */
export const postgresSetup: readonly SetupStep[] = [
  {
    title: 'Create a role',
    text:
      'Run these statements as the owner of the database, and enter millrace.elements as the table. ' +
      'The first run creates the table.',
    links: [
      {
        title: 'Roles of PostgreSQL',
        address: 'https://www.postgresql.org/docs/current/sql-createrole.html',
      },
    ],
    snippets: [
      {
        title: 'Statements for a role with the least privileges',
        text: `create role {{username}} login password 'choose a long one';
grant connect on database {{database}} to {{username}};
create schema {{username}} authorization {{username}};`,
      },
    ],
  },
]
