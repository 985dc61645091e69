import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { shellTexts } from '../texts/shell.ts'
import { useNotices } from './notices.tsx'

type Props = {
  /** The text, or a call that fetches it, such as a key. */
  text: string | (() => Promise<string>)
  /** What is copied, for the button's name: "Copy the key Nightly". */
  what: string
  /** A button with a word instead of an icon alone. */
  labelled?: boolean
}

const COPIED_MS = 2000

export function CopyButton({ text, what, labelled = false }: Props) {
  const notices = useNotices()
  const [copied, setCopied] = useState(false)

  async function copy(): Promise<void> {
    try {
      await copyToClipboard(typeof text === 'string' ? text : await text())
      setCopied(true)
      notices.announce(shellTexts.copied(what))
      setTimeout(() => setCopied(false), COPIED_MS)
    } catch (error) {
      notices.error(error)
    }
  }

  const name = copied ? shellTexts.copied(what) : shellTexts.copy(what)
  const icon = copied ? <IconCheck size={16} /> : <IconCopy size={16} />
  if (labelled) {
    return (
      <Button variant="default" leftSection={icon} onClick={copy} aria-label={name}>
        {copied ? shellTexts.copiedWord : shellTexts.copyWord}
      </Button>
    )
  }
  return (
    <Tooltip label={copied ? shellTexts.copiedWord : shellTexts.copyWord}>
      <ActionIcon variant="subtle" color="gray" onClick={copy} aria-label={name}>
        {icon}
      </ActionIcon>
    </Tooltip>
  )
}

/** Plain http has no clipboard API; copies from a selected field there. */
async function copyToClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.setAttribute('readonly', '')
  field.style.position = 'fixed'
  field.style.opacity = '0'
  const focusedBefore = document.activeElement
  document.body.append(field)
  field.select()
  const done = document.execCommand('copy')
  field.remove()
  if (focusedBefore instanceof HTMLElement) focusedBefore.focus()
  if (!done) throw new Error(shellTexts.copyRefused)
}
