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
type Made = ApiKey & { key: string }

/** Asks for a name, then shows the key; forgets both when closed. */
export function NewKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Made>()
  const close = () => {
    onClose()
    setMade(undefined)
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={made ? texts.ready(made.name) : texts.title}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {made ? <TheKey made={made} onDone={close} /> : <NameIt onMade={setMade} onCancel={close} />}
    </Modal>
  )
}

const schema = z.object({ name: z.string().trim().min(1, texts.nameMissing) })

function NameIt({ onMade, onCancel }: { onMade: (made: Made) => void; onCancel: () => void }) {
  const api = useApi()
  const form = useForm({
    schema,
    initial: { name: '' },
    submit: async (values) => {
      onMade(await api.post<Made>('/keys', values))
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

function TheKey({ made, onDone }: { made: Made; onDone: () => void }) {
  return (
    <Stack>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={texts.field}
          value={made.key}
          readOnly
          autoFocus
          flex={1}
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={made.key} what={keysTexts.theKey(made.name)} labelled />
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
