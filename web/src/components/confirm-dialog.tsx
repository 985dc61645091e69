import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useRestoredFocus } from '../shell/restored-focus.ts'
import { shellTexts } from '../texts/shell.ts'
import { FormErrors } from './form-errors.tsx'
import { errorText } from './notices.tsx'

type Props = {
  opened: boolean
  /** What will happen, naming the thing: "Delete the key Nightly". */
  title: string
  /** What is lost and what stays. */
  children: ReactNode
  /** The verb of the button: "Delete key". */
  confirm: string
  /** Shows a red button, for actions that cannot be undone. */
  destructive?: boolean
  /** Text to type first, for costly actions. */
  confirmationText?: string
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** Asks for confirmation. Closes on success, shows the error on failure. */
export function ConfirmDialog(props: Props) {
  const { opened, title, onClose } = props
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      {opened ? <ConfirmForm {...props} /> : null}
    </Modal>
  )
}

function ConfirmForm({
  children,
  confirm,
  destructive = false,
  confirmationText,
  onConfirm,
  onClose,
}: Props) {
  const [running, setRunning] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [typedText, setTypedText] = useState('')
  useRestoredFocus(running)

  async function run(event: FormEvent): Promise<void> {
    event.preventDefault()
    // React passes events of a dialog on to the form that contains it.
    event.stopPropagation()
    setRunning(true)
    setFailure(undefined)
    try {
      await onConfirm()
      onClose()
    } catch (error) {
      setFailure(errorText(error))
    } finally {
      setRunning(false)
    }
  }

  return (
    <form onSubmit={run}>
      <Stack>
        <FormErrors failure={failure} />
        <Text component="div">{children}</Text>
        {confirmationText ? (
          <TextInput
            label={shellTexts.typeToConfirm(confirmationText)}
            value={typedText}
            autoComplete="off"
            onChange={(event) => setTypedText(event.currentTarget.value)}
          />
        ) : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus={destructive || undefined}>
            {shellTexts.cancel}
          </Button>
          <Button
            type="submit"
            color={destructive ? 'red.9' : undefined}
            data-autofocus={destructive ? undefined : true}
            loading={running}
            disabled={confirmationText !== undefined && typedText !== confirmationText}
          >
            {confirm}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
