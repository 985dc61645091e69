import { Modal, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { shellTexts } from '../../texts/shell.ts'
import { focusHeading } from '../heading-focus.ts'
import { type PaletteEntry, useEntries } from './entries.ts'
import classes from './palette.module.css'

const texts = shellTexts.palette

/** Opens screens and things, and starts actions, by their names. */
export function Palette({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.title}
      size="lg"
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      <Choice onClose={onClose} />
    </Modal>
  )
}

function Choice({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const { entries, isLoading, isError } = useEntries(typed)
  const id = useId()
  const current = Math.min(at, entries.length - 1)
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current])

  async function open(entry: PaletteEntry | undefined): Promise<void> {
    if (!entry) return
    onClose()
    await entry.open()
    focusHeading()
  }
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step) setAt((current + step + entries.length) % Math.max(entries.length, 1))
    else if (event.key === 'Enter') void open(entries[current])
    else return
    event.preventDefault()
  }

  return (
    <>
      <TextInput
        role="combobox"
        aria-label={texts.title}
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries.length > 0 ? `${id}-${current}` : undefined}
        aria-autocomplete="list"
        placeholder={texts.placeholder}
        leftSection={<IconSearch size={16} />}
        data-autofocus
        value={typed}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setAt(0)
        }}
      />
      <div id={id} role="listbox" aria-label={texts.title} className={classes.list}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field.
          <div
            key={`${entry.kind} ${entry.id}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            className={classes.entry}
            onClick={() => open(entry)}
          >
            <span className={classes.label}>{entry.label}</span>
            <Text span size="sm" c="dimmed">
              {texts.kinds[entry.kind]}
            </Text>
          </div>
        ))}
      </div>
      <Text size="sm" c="dimmed" role="status">
        {isLoading ? texts.searching : isError ? texts.failed : entries.length === 0 ? texts.none : ''}
      </Text>
    </>
  )
}
