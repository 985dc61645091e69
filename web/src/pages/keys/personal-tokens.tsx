import { Button, Modal, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { z } from 'zod'
import { FormButtons } from '../../components/form-buttons.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { Panel } from '../../components/panel.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi, useSession } from '../../service/session.ts'
import { may, type ResponseOf, type Workspace } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { shellTexts } from '../../texts/shell.ts'
import { DestinationChoice } from './destination-choice.tsx'
import { EXPIRIES } from './expiry.tsx'
import { ShownOnce } from './shown-once.tsx'
import { TokenTable } from './token-table.tsx'

const texts = keysTexts.tokens
type CreatedToken = ResponseOf<'POST /api/v1/personal-tokens'>

export function PersonalTokens({ workspace }: { workspace: Workspace }) {
  const { tier } = useSession()
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <Panel
        title={texts.title}
        description={texts.description}
        actions={
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={open}>
            {texts.new}
          </Button>
        }
      >
        <TokenTable of="me" />
      </Panel>
      {tier === 'business' && may(workspace.role, 'administrator') ? (
        <Panel title={texts.all} description={texts.allDescription}>
          <TokenTable of="all" />
        </Panel>
      ) : null}
      <NewToken opened={opened} onClose={close} />
    </>
  )
}

function NewToken({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedToken>()
  const close = () => {
    onClose()
    setCreated(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? texts.ready(created.name) : texts.newTitle}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {created ? (
        <ShownOnce
          label={texts.field}
          value={created.token}
          what={texts.theToken(created.name)}
          note={texts.keep}
          onDone={close}
        />
      ) : (
        <TokenForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  )
}

const DAYS = EXPIRIES.filter((days) => days !== 'never')
const schema = z.object({
  name: z.string().trim().min(1, keysTexts.new.nameMissing),
  destination_ids: z.array(z.string()),
  days: z.enum(DAYS),
})

function TokenForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: CreatedToken) => void
  onCancel: () => void
}) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { name: '', destination_ids: [], days: '90' },
    submit: async ({ days, ...values }) => {
      const body = { ...values, expires_in_days: Number(days) }
      onCreated(await api.post<CreatedToken>('/personal-tokens', body))
      await api.refresh('/personal-tokens')
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        <TextInput
          label={keysTexts.new.name}
          description={texts.nameHelp}
          placeholder={texts.example}
          autoComplete="off"
          data-autofocus
          {...form.field('name')}
        />
        <DestinationChoice
          chosen={form.values.destination_ids}
          onChange={(ids) => form.set({ destination_ids: ids })}
        />
        <NativeSelect
          label={keysTexts.new.expiry}
          {...form.field('days')}
          data={DAYS.map((value) => ({ value, label: keysTexts.new.expiries[value] }))}
        />
        <FormButtons submit={texts.create} sending={form.sending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}
