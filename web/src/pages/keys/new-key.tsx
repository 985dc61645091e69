import { Modal, NativeSelect, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { FormButtons } from '../../components/form-buttons.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { shellTexts } from '../../texts/shell.ts'
import { DestinationChoice } from './destination-choice.tsx'
import { EXPIRIES, expiryDate } from './expiry.tsx'
import { ShownOnce } from './shown-once.tsx'

const texts = keysTexts.new
type CreatedKey = ResponseOf<'POST /api/v1/keys'>

/** Asks for name and scope, then shows the key. Forgets both when closed. */
export function NewKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<CreatedKey>()
  const close = () => {
    onClose()
    setCreated(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={created ? texts.ready(created.name) : texts.title}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {created ? (
        <ShowKey created={created} onDone={close} />
      ) : (
        <KeyForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  )
}

const schema = z.object({
  name: z.string().trim().min(1, texts.nameMissing),
  scope: z.enum(['full', 'search']),
  destination_ids: z.array(z.string()),
  may_impersonate: z.boolean(),
  expires: z.enum(EXPIRIES),
})

function KeyForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: CreatedKey) => void
  onCancel: () => void
}) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { name: '', scope: 'full', destination_ids: [], may_impersonate: false, expires: 'never' },
    submit: async ({ name, scope, expires, ...limits }) => {
      const body = { name, scope, expires_at: expiryDate(expires), ...(scope === 'search' ? limits : {}) }
      onCreated(await api.post<CreatedKey>('/keys', body))
      await api.refresh('/keys')
    },
  })
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        <TextInput
          label={texts.name}
          description={texts.nameHelp}
          placeholder={texts.example}
          autoComplete="off"
          data-autofocus
          {...form.field('name')}
        />
        <Radio.Group
          label={texts.scope}
          value={form.values.scope}
          onChange={(scope) => form.set({ scope: scope === 'search' ? 'search' : 'full' })}
        >
          <Stack gap="xs" mt="xs">
            {(['full', 'search'] as const).map((scope) => (
              <Radio key={scope} value={scope} label={texts[scope].label} description={texts[scope].help} />
            ))}
          </Stack>
        </Radio.Group>
        {form.values.scope === 'search' ? (
          <>
            <DestinationChoice
              chosen={form.values.destination_ids}
              onChange={(ids) => form.set({ destination_ids: ids })}
            />
            <Switch
              label={texts.impersonate}
              description={texts.impersonateHelp}
              checked={form.values.may_impersonate}
              onChange={(event) => form.set({ may_impersonate: event.currentTarget.checked })}
            />
          </>
        ) : null}
        <NativeSelect
          label={texts.expiry}
          {...form.field('expires')}
          data={EXPIRIES.map((value) => ({ value, label: texts.expiries[value] }))}
        />
        <FormButtons submit={texts.create} sending={form.sending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}

function ShowKey({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  return (
    <ShownOnce
      label={texts.field}
      value={created.key}
      what={keysTexts.theKey(created.name)}
      note={texts.keep}
      onDone={onDone}
    />
  )
}
