import { ActionIcon } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useState } from 'react'
import { shellTexts } from '../texts/shell.ts'
import { COMMAND_KEYS } from './command-keys.ts'

const Palette = lazy(async () => ({ default: (await import('./palette/palette.tsx')).Palette }))
const Shortcuts = lazy(async () => ({ default: (await import('./palette/shortcuts.tsx')).Shortcuts }))

/** The palette and the list of shortcuts, which load on first use. */
export function Commands() {
  const [opened, setOpened] = useState<'palette' | 'shortcuts'>()
  const close = () => setOpened(undefined)
  // Also from a text field.
  useHotkeys([['mod+K', () => setOpened('palette')]], [], true)
  useHotkeys([['shift+?', () => setOpened('shortcuts')]])
  const label = `${shellTexts.palette.button} (${COMMAND_KEYS})`
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        visibleFrom="sm"
        aria-label={label}
        title={label}
        onClick={() => setOpened('palette')}
      >
        <IconSearch size={18} />
      </ActionIcon>
      <Suspense>
        {opened === 'palette' ? <Palette onClose={close} /> : null}
        {opened === 'shortcuts' ? <Shortcuts onClose={close} /> : null}
      </Suspense>
    </>
  )
}
