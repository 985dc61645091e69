import { useQuery } from '@tanstack/react-query'
import type { Column } from '../../components/data-table.tsx'
import { useApi } from '../../service/session.ts'
import type { PersonalToken, Workspace } from '../../service/types.ts'
import { keysTexts as texts } from '../../texts/keys.ts'
import { CredentialTable } from './credential-table.tsx'

/** One's own tokens; for administrators also those of others, which they can delete. */
export function TokenTable({ workspace }: { workspace: Workspace }) {
  const of = workspace.role === 'administrator' ? 'all' : 'me'
  const tokens = useQuery(useApi().list<PersonalToken>('/personal-tokens', { of }))
  return (
    <CredentialTable
      kind="token"
      path="/personal-tokens"
      query={tokens}
      columns={of === 'all' ? [tokenColumn, personColumn] : [tokenColumn]}
      canDelete={() => true}
    />
  )
}

const tokenColumn: Column<PersonalToken> = {
  id: 'token',
  header: texts.columns.token,
  hideOnPhone: true,
  cell: ({ last_four: four }) => <span className="mono">…{four}</span>,
}

const personColumn: Column<PersonalToken> = {
  id: 'person',
  header: texts.columns.person,
  cell: ({ person }) => person.name,
  sortBy: ({ person }) => person.name,
}
