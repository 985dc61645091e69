import { Group, Stack, Text, TextInput } from '@mantine/core'
import { CopyButton } from './copy-button.tsx'

type Props = { label: string; value: string; what: string; note: string; autoFocus?: boolean }

/** A secret or link to be copied, which is not shown again. */
export function ShownOnce({ label, value, what, note, autoFocus }: Props) {
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="xs">
        <TextInput
          label={label}
          value={value}
          readOnly
          autoFocus={autoFocus}
          flex="1 1 240px"
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={value} what={what} labelled />
      </Group>
      <Text size="sm" c="dimmed">
        {note}
      </Text>
    </Stack>
  )
}
