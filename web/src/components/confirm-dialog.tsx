import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useKeptFocus } from '../shell/kept-focus.ts'
import { shellTexts } from '../texts/shell.ts'
import { FormErrors } from './form-errors.tsx'
import { lineOf } from './notices.tsx'

type Props = {
  opened: boolean
  /** What will happen, naming the thing: "Delete the key Nightly". */
  title: string
  /** What is lost and what stays. */
  children: ReactNode
  /** The verb of the button: "Delete key". */
  confirm: string
  /** Shows a red button; it cannot be undone. */
  destructive?: boolean
  /** Text to type first, for costly actions. */
  typed?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks before an action. Closes on success, shows the error on failure. */
export function ConfirmDialog(props: Props) {
  const { opened, title, onClose } = props
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {opened ? <Question {...props} /> : null}
    </Modal>
  )
}

function Question({ children, confirm, destructive = false, typed, onConfirm, onClose }: Props) {
  const [running, setRunning] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [written, setWritten] = useState('')
  useKeptFocus(running)

  async function run(event: FormEvent): Promise<void> {
    event.preventDefault()
    setRunning(true)
    setFailure(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setFailure(lineOf(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <form onSubmit={run}>
      <Stack>
        <FormErrors failure={failure} />
        <Text component="div">{children}</Text>
        {typed ? (
          <TextInput
            label={shellTexts.typeToConfirm(typed)}
            value={written}
            autoComplete="off"
            onChange={(event) => setWritten(event.currentTarget.value)}
          />
        ) : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {shellTexts.cancel}
          </Button>
          <Button
            type="submit"
            color={destructive ? 'red.9' : undefined}
            loading={running}
            disabled={typed !== undefined && written !== typed}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
