import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { EmptyState } from '../../components/empty-state.tsx'
import { FormButtons } from '../../components/form-buttons.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { useNotices } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useAction } from '../../service/action.ts'
import { useApi } from '../../service/session.ts'
import type { OwnAccount } from '../../service/types.ts'
import { identityTexts } from '../../texts/identity.ts'
import { shellTexts } from '../../texts/shell.ts'

const texts = identityTexts.own
const PATH = '/identities/own'

/** The person's own accounts in the sources of this workspace. */
export function OwnAccounts() {
  const api = useApi()
  const accounts = useQuery(api.query<OwnAccount[]>(PATH))
  const [linking, setLinking] = useState<OwnAccount>()
  const unlink = useAction(
    ({ source_id }: OwnAccount) => api.delete('/identities/link', { query: { source_id } }),
    { refreshes: [PATH], notice: texts.unlinked },
  )
  const columns: Column<OwnAccount>[] = [
    { id: 'source', header: texts.columns.source, cell: ({ name }) => name },
    { id: 'account', header: texts.columns.account, cell: (own) => <AccountCell own={own} /> },
    {
      id: 'actions',
      header: texts.columns.actions,
      hiddenHeader: true,
      align: 'end',
      cell: (own) => {
        if (own.linked)
          return (
            <Button
              variant="default"
              size="xs"
              aria-label={texts.unlink(own.name)}
              onClick={() => unlink.mutate(own)}
            >
              {texts.unlinkWord}
            </Button>
          )
        return own.can_link ? (
          <Button
            variant="default"
            size="xs"
            aria-label={texts.link(own.name)}
            onClick={() => setLinking(own)}
          >
            {texts.linkWord}
          </Button>
        ) : null
      },
    },
  ]
  return (
    <Panel title={texts.title} description={texts.text}>
      <DataTable
        label={texts.title}
        columns={columns}
        rows={accounts.data}
        query={accounts}
        rowId={({ source_id: id }) => id}
        empty={<EmptyState title={texts.none} level={3} />}
      />
      <Modal
        opened={linking !== undefined}
        onClose={() => setLinking(undefined)}
        title={texts.link(linking?.name ?? '')}
        closeButtonProps={{ 'aria-label': shellTexts.close }}
      >
        {linking ? <LinkForm own={linking} onClose={() => setLinking(undefined)} /> : null}
      </Modal>
    </Panel>
  )
}

function AccountCell({ own: { account, linked } }: { own: OwnAccount }) {
  if (account === null) return <Text c="dimmed">{texts.noAccount}</Text>
  return (
    <Stack gap={0}>
      <span className="mono">{account}</span>
      <Text size="sm" c="dimmed">
        {linked ? texts.linked : texts.byAddress}
      </Text>
    </Stack>
  )
}

const schema = z.object({ username: z.string().trim(), token: z.string().min(1, texts.tokenMissing) })

export function LinkForm({ own, onClose }: { own: OwnAccount; onClose: () => void }) {
  const api = useApi()
  const notices = useNotices()
  const form = useForm({
    schema,
    initial: { username: '', token: '' },
    submit: async (credentials) => {
      await api.post('/identities/link', { source_id: own.source_id, ...credentials })
      await api.refresh(PATH)
      notices.success(texts.linkedNotice(own.name))
      onClose()
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        {own.address ? <Text>{texts.sentTo(own.address)}</Text> : null}
        <TextInput
          label={texts.username}
          description={texts.usernameHelp}
          autoComplete="off"
          {...form.field('username')}
        />
        <PasswordInput label={texts.token} autoComplete="off" {...form.field('token')} />
        <FormButtons submit={texts.confirm} sending={form.sending} onCancel={onClose} />
      </Stack>
    </form>
  )
}
