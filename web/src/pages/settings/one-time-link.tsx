import { Alert, Group, Text, TextInput } from '@mantine/core'
import { CopyButton } from '../../components/copy-button.tsx'

type Props = { title: string; label: string; link: string; what: string; note: string }

/** A link that is shown only once. */
export function OneTimeLink({ title, label, link, what, note }: Props) {
  return (
    <Alert variant="outline" title={title}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={label}
          value={link}
          readOnly
          flex="1 1 240px"
          classNames={{ input: 'mono' }}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton text={link} what={what} labelled />
      </Group>
      <Text size="sm" mt="xs">
        {note}
      </Text>
    </Alert>
  )
}
