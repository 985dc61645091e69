import { Button, Group } from '@mantine/core'
import { shellTexts } from '../texts/shell.ts'

type Props = { submit: string; sending: boolean; onCancel: () => void }

/** The last row of a form in a dialog. */
export function FormButtons({ submit, sending, onCancel }: Props) {
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onCancel}>
        {shellTexts.cancel}
      </Button>
      <Button type="submit" loading={sending}>
        {submit}
      </Button>
    </Group>
  )
}
