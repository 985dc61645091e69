import { Button, Modal, NativeSelect, Radio, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { FormButtons } from '../../components/form-buttons.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { ShownOnce } from '../../components/shown-once.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { shellTexts } from '../../texts/shell.ts'
import { DestinationChoice } from './destination-choice.tsx'
import { LinkAccounts } from './link-accounts.tsx'
import { type Created, UseCredential } from './use-credential.tsx'

type Kind = Created['kind']

const texts = keysTexts.new
const DAY_MS = 24 * 60 * 60 * 1000

/** Asks for the name and limits of a key or token, then shows it and how to use it. Forgets all when closed. */
export function NewCredential({ kind, onClose }: { kind: Kind | undefined; onClose: () => void }) {
  const [created, setCreated] = useState<Created>()
  const close = () => {
    onClose()
    setCreated(undefined)
  }
  return (
    <Modal
      opened={kind !== undefined}
      onClose={close}
      size={created ? 'lg' : undefined}
      title={created ? keysTexts[created.kind].ready(created.name) : kind && keysTexts[kind].newTitle}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {created ? <ShowCreated created={created} onDone={close} /> : null}
      {kind && !created ? <NewForm kind={kind} onCreated={setCreated} onCancel={close} /> : null}
    </Modal>
  )
}

const schema = z.object({
  name: z.string().trim().min(1, texts.nameMissing),
  scope: z.enum(['search', 'full']),
  destination_ids: z.array(z.string()),
  may_impersonate: z.boolean(),
  expires: z.enum(['30', '90', '365', 'never']),
})
type Values = z.infer<typeof schema>

type FormProps = { kind: Kind; onCreated: (created: Created) => void; onCancel: () => void }

function NewForm({ kind, onCreated, onCancel }: FormProps) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { name: '', scope: 'search', destination_ids: [], may_impersonate: false, expires: '90' },
    submit: async (values) => {
      const { name, scope, destination_ids: destinationIds, may_impersonate: mayImpersonate } = values
      const created = { kind, name, scope, destinationIds, mayImpersonate }
      if (kind === 'key') {
        const { key } = await api.post<ResponseOf<'POST /api/v1/keys'>>('/keys', keyBody(values))
        onCreated({ ...created, value: key })
      } else {
        const body = { name, destination_ids: destinationIds, expires_in_days: Number(values.expires) }
        const { token } = await api.post<ResponseOf<'POST /api/v1/personal-tokens'>>('/personal-tokens', body)
        onCreated({ ...created, value: token })
      }
      await api.refresh('/keys', '/personal-tokens')
    },
  })
  const expiries = schema.shape.expires.options.filter((value) => kind === 'key' || value !== 'never')
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        <TextInput
          label={texts.name}
          description={texts.nameHelp}
          placeholder={keysTexts[kind].example}
          autoComplete="off"
          data-autofocus
          {...form.field('name')}
        />
        {kind === 'key' ? <ScopeChoice values={form.values} onChange={form.set} /> : null}
        {form.values.scope === 'search' ? (
          <DestinationChoice
            chosen={form.values.destination_ids}
            onChange={(ids) => form.set({ destination_ids: ids })}
          />
        ) : null}
        <NativeSelect
          label={texts.expiry}
          {...form.field('expires')}
          data={expiries.map((value) => ({ value, label: texts.expiries[value] }))}
        />
        <FormButtons submit={keysTexts[kind].create} sending={form.sending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}

type ScopeProps = { values: Values; onChange: (changes: Partial<Values>) => void }

function keyBody({ name, scope, expires, ...limits }: Values): object {
  const expiresAt = expires === 'never' ? null : new Date(Date.now() + Number(expires) * DAY_MS).toISOString()
  return { name, scope, expires_at: expiresAt, ...(scope === 'search' ? limits : {}) }
}

function ScopeChoice({ values, onChange }: ScopeProps) {
  return (
    <>
      <Radio.Group
        label={texts.scope}
        value={values.scope}
        onChange={(scope) => onChange({ scope: scope === 'full' ? 'full' : 'search' })}
      >
        <Stack gap="xs" mt="xs">
          {schema.shape.scope.options.map((scope) => (
            <Radio key={scope} value={scope} {...keysTexts.scopes[scope]} />
          ))}
        </Stack>
      </Radio.Group>
      {values.scope === 'search' ? (
        <Switch
          label={texts.impersonate}
          description={texts.impersonateHelp}
          checked={values.may_impersonate}
          onChange={(event) => onChange({ may_impersonate: event.currentTarget.checked })}
        />
      ) : null}
    </>
  )
}

function ShowCreated({ created, onDone }: { created: Created; onDone: () => void }) {
  const { kind, name, value } = created
  return (
    <Stack>
      <ShownOnce
        label={keysTexts.columns[kind]}
        value={value}
        what={keysTexts[kind].the(name)}
        note={keysTexts[kind].keep}
        autoFocus
      />
      {kind === 'token' ? <LinkAccounts /> : null}
      <UseCredential created={created} />
      <Button onClick={onDone} style={{ alignSelf: 'flex-end' }}>
        {shellTexts.done}
      </Button>
    </Stack>
  )
}
