import { Anchor, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Snippet } from '../../components/snippet.tsx'
import { basePath, serviceAddress } from '../../service/base-path.ts'
import { useApi } from '../../service/session.ts'
import type { ApiKey, SearchDestination } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { searchSnippets } from '../lab/pane/snippets.ts'
import { mcpSnippets } from './mcp-snippets.ts'

export type Created = {
  kind: 'key' | 'token'
  name: string
  value: string
  scope: ApiKey['scope']
  mayImpersonate: boolean
  destinationIds: string[]
}

const texts = keysTexts.use

/** A search by program, and the settings of assistants. */
export function UseCredential({ created }: { created: Created }) {
  const { kind, value, scope, mayImpersonate, destinationIds } = created
  const { data = [] } = useQuery(useApi().list<SearchDestination>('/search/destinations'))
  const origin = serviceAddress()
  const namesPerson = kind === 'key' && (scope === 'full' || mayImpersonate)
  const search = searchSnippets({
    origin,
    destinationId: destinationIds[0] ?? data[0]?.id ?? 'DESTINATION_ID',
    body: { query: texts.query, ...(namesPerson ? { as: { user: 'ACCOUNT_ID' } } : {}) },
  })
  const mcp = mcpSnippets({ origin, token: value, needsPerson: kind === 'key' })
  const snippets = { ...search, ...(scope === 'full' ? {} : mcp) }
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List aria-label={texts.title} mb="sm" style={{ flexWrap: 'wrap' }}>
        {Object.keys(snippets).map((name) => (
          <Tabs.Tab key={name} value={name} px={8}>
            {texts.names[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.entries(snippets).map(([name, code]) => (
        <Tabs.Panel key={name} value={name}>
          <Stack gap="xs">
            <Snippet code={code} what={texts.what(texts.names[name] ?? name)} />
            <Text size="sm" c="dimmed">
              {name in mcp ? texts.where[name] : texts.variable}{' '}
              {kind === 'key' && !namesPerson ? `${texts.person} ` : null}
              <Anchor
                href={`${basePath}/help/${name in mcp ? 'assistants' : 'keys'}`}
                target="_blank"
                inherit
              >
                {texts.more}
              </Anchor>
            </Text>
          </Stack>
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
