import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'
import { keysTexts } from '../../texts/keys.ts'

type Props = { label: string; value: string; what: string; note: string; onDone: () => void }

/** A new key or token, to be copied. */
export function ShownOnce({ label, value, what, note, onDone }: Props) {
  return (
    <Stack>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <TextInput
          label={label}
          value={value}
          readOnly
          autoFocus
          flex={1}
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={value} what={what} labelled />
      </Group>
      <Text size="sm" c="dimmed">
        {note}
      </Text>
      <Group justify="flex-end">
        <Button onClick={onDone}>{keysTexts.new.done}</Button>
      </Group>
    </Stack>
  )
}
