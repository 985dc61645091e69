import { Kbd, Modal } from '@mantine/core'
import { DataList } from '../../components/data-list.tsx'
import { shellTexts } from '../../texts/shell.ts'
import { COMMAND_KEYS } from '../command-keys.ts'

const texts = shellTexts.shortcuts
const shortcuts: [string, string][] = [
  [texts.palette, COMMAND_KEYS],
  [texts.help, '?'],
  [texts.move, '↑ ↓'],
  [texts.choose, 'Enter'],
  [texts.close, 'Esc'],
]

export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={texts.title} closeButtonProps={{ 'aria-label': shellTexts.close }}>
      <DataList entries={shortcuts.map(([what, keys]) => [what, <Kbd key={what}>{keys}</Kbd>])} />
    </Modal>
  )
}
