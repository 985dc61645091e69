import { useDisclosure } from '@mantine/hooks'
import { IconTrash } from '@tabler/icons-react'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { IconButton } from './icon-button.tsx'

type Props = {
  /** What will happen, naming the row: "Delete the key Nightly". */
  label: string
  confirm: string
  /** What is lost and what stays. */
  text: string
  onConfirm: () => Promise<unknown>
}

/** The button of a row that asks before it deletes. */
export function DeleteButton({ label, confirm, text, onConfirm }: Props) {
  const [opened, { open, close }] = useDisclosure(false)
  return (
    <>
      <IconButton label={label} icon={<IconTrash size={16} />} onClick={open} />
      <ConfirmDialog
        opened={opened}
        title={label}
        confirm={confirm}
        destructive
        onConfirm={onConfirm}
        onClose={close}
      >
        {text}
      </ConfirmDialog>
    </>
  )
}
