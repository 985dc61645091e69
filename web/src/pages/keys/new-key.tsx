import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { z } from 'zod'
import { CopyButton } from '../../components/copy-button.tsx'
import { FormErrors } from '../../components/form-errors.tsx'
import { useForm } from '../../schema-form/form.ts'
import { useApi } from '../../service/session.ts'
import type { ApiKey } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { shellTexts } from '../../texts/shell.ts'

const texts = keysTexts.new
type CreatedKey = ApiKey & { key: string }

/** Asks for a name, then shows the key; forgets both when closed. */
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
        <NameForm onCreated={setCreated} onCancel={close} />
      )}
    </Modal>
  )
}

const schema = z.object({ name: z.string().trim().min(1, texts.nameMissing) })

function NameForm({
  onCreated,
  onCancel,
}: {
  onCreated: (created: CreatedKey) => void
  onCancel: () => void
}) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { name: '' },
    submit: async (values) => {
      onCreated(await api.post<CreatedKey>('/keys', values))
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
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {shellTexts.cancel}
          </Button>
          <Button type="submit" loading={form.sending}>
            {texts.generate}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function ShowKey({ created, onDone }: { created: CreatedKey; onDone: () => void }) {
  return (
    <Stack>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={texts.field}
          value={created.key}
          readOnly
          autoFocus
          flex={1}
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={created.key} what={keysTexts.theKey(created.name)} labelled />
      </Group>
      <Text size="sm" c="dimmed">
        {texts.keep}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>{texts.done}</Button>
      </Group>
    </Stack>
  )
}
