import { Alert, Button, Stack, Text, Textarea } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useState } from 'react'
import { z } from 'zod'
import { DataList } from '../../../components/data-list.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { EmptyState } from '../../../components/empty-state.tsx'
import { FormErrors } from '../../../components/form-errors.tsx'
import { Panel } from '../../../components/panel.tsx'
import { RelativeTime } from '../../../components/relative-time.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useForm } from '../../../schema-form/form.ts'
import { useApi } from '../../../service/session.ts'
import { identityTexts } from '../../../texts/identity.ts'
import type { IdentityTest } from './types.ts'

const texts = identityTexts.test
const schema = z.object({ token: z.string().trim().min(1, texts.missing) })
type Source = IdentityTest['sources'][number]

export function TokenTest() {
  const api = useApi()
  const [result, setResult] = useState<IdentityTest>()
  const form = useForm({
    schema,
    initial: { token: '' },
    submit: async (body) => {
      setResult(undefined)
      setResult(await api.post<IdentityTest>('/identity/test', body))
      form.reset()
    },
  })
  return (
    <Panel title={texts.title} description={texts.text}>
      <Stack>
        <form {...form.form}>
          <Stack maw={560} align="flex-start">
            <FormErrors failure={form.failure} />
            <Textarea
              label={texts.token}
              rows={3}
              w="100%"
              autoComplete="off"
              spellCheck={false}
              {...form.field('token')}
            />
            <Button type="submit" variant="default" loading={form.sending}>
              {texts.test}
            </Button>
          </Stack>
        </form>
        <div role="status">{result ? <Result result={result} /> : null}</div>
      </Stack>
    </Panel>
  )
}

function Result({ result: { valid, reason, person, sources } }: { result: IdentityTest }) {
  if (!valid || !person)
    return (
      <Alert
        variant="outline"
        color="var(--mr-bad)"
        icon={<IconAlertTriangle size={18} />}
        title={texts.invalid}
      >
        {reason}
      </Alert>
    )
  const columns: Column<Source>[] = [
    { id: 'source', header: texts.columns.source, cell: ({ name }) => name },
    {
      id: 'account',
      header: texts.columns.account,
      cell: ({ account }) => <span className="mono">{account ?? '–'}</span>,
    },
    {
      id: 'result',
      header: texts.columns.result,
      cell: ({ reason: why }) =>
        why ? <Problem why={why} /> : <StateBadge state="ok" label={texts.matched} />,
    },
  ]
  return (
    <Stack>
      <div>
        <StateBadge state="ok" label={texts.valid} />
      </div>
      <DataList
        entries={[
          [texts.person.value, person.value],
          [texts.person.claim, person.claim],
          [texts.person.issuer, person.issuer],
          [texts.person.audience, person.audience.join(', ')],
          [texts.person.subject, person.subject ?? '–'],
          [texts.person.expires, <RelativeTime key="expires" at={person.expires_at} />],
        ]}
      />
      <DataTable
        label={texts.sources}
        columns={columns}
        rows={sources}
        rowId={({ source_id: id }) => id}
        empty={<EmptyState title={texts.noSources} level={3} />}
      />
    </Stack>
  )
}

function Problem({ why }: { why: string }) {
  return (
    <Stack gap={4} align="flex-start">
      <StateBadge state="warning" label={texts.unmatched} />
      <Text size="sm" c="dimmed">
        {why}
      </Text>
    </Stack>
  )
}
