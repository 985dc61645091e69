import { Button, Checkbox, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { FormButtons } from '../../../components/form-buttons.tsx'
import { FormErrors } from '../../../components/form-errors.tsx'
import { ShownOnce } from '../../../components/shown-once.tsx'
import { useForm } from '../../../schema-form/form.ts'
import { problemEvents } from '../../../service/problem-events.ts'
import { useApi } from '../../../service/session.ts'
import { notificationsTexts, webhooksTexts } from '../../../texts/notifications.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { type ChangedChannel, eventTypes } from '../types.ts'
import { CHANNELS } from './channel-path.ts'

const texts = webhooksTexts.new

/** Asks for address and events, then shows the secret. Forgets it when closed. */
export function NewWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    onClose()
    setSecret(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={secret ? webhooksTexts.secret.title : texts.title}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {secret ? (
        <ShownSecret secret={secret} onDone={close} />
      ) : (
        <WebhookForm onCreated={setSecret} onCancel={close} />
      )}
    </Modal>
  )
}

export function ShownSecret({ secret, onDone }: { secret: string; onDone: () => void }) {
  const { field, what, note } = webhooksTexts.secret
  return (
    <Stack>
      <ShownOnce label={field} value={secret} what={what} note={note} autoFocus />
      <Button onClick={onDone} style={{ alignSelf: 'flex-end' }}>
        {shellTexts.done}
      </Button>
    </Stack>
  )
}

const schema = z.object({
  url: z.string().trim().min(1, texts.urlMissing),
  description: z.string().trim(),
  event_types: z.array(z.enum(eventTypes)).min(1, texts.eventsMissing),
})

type FormProps = { onCreated: (secret: string | undefined) => void; onCancel: () => void }

function WebhookForm({ onCreated, onCancel }: FormProps) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { url: '', description: '', event_types: [...problemEvents, 'job.completed'] },
    submit: async (values) => {
      const created = await api.post<ChangedChannel>(CHANNELS, { channel_type: 'webhook', ...values })
      onCreated(created.secret)
      await api.refresh(CHANNELS)
    },
  })
  const events = form.field('event_types')
  return (
    <form {...form.form}>
      <Stack>
        <FormErrors failure={form.failure} />
        <TextInput
          label={texts.url}
          description={texts.urlHelp}
          placeholder={texts.example}
          type="url"
          autoComplete="off"
          data-autofocus
          {...form.field('url')}
        />
        <TextInput
          label={texts.name}
          description={texts.nameHelp}
          autoComplete="off"
          maxLength={255}
          {...form.field('description')}
        />
        <Checkbox.Group
          label={texts.events}
          value={events.value}
          error={events.error}
          onChange={(chosen) => events.onChange(eventTypes.filter((type) => chosen.includes(type)))}
        >
          <Stack gap="xs" mt="xs">
            {eventTypes.map((type) => (
              <Checkbox key={type} value={type} label={notificationsTexts.events[type]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <FormButtons submit={texts.create} sending={form.sending} onCancel={onCancel} />
      </Stack>
    </form>
  )
}
