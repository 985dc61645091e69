import { Radio, Stack } from '@mantine/core'
import { connectorsTexts } from '../texts/connectors.ts'
import type { Mode } from './modes.ts'

type Props = {
  modes: Mode[]
  mode: string
  onMode?: ((mode: string) => void) | undefined
  disabled?: boolean | undefined
}

export function ModeChoice({ modes, mode, onMode, disabled = false }: Props) {
  return (
    <Radio.Group
      label={connectorsTexts.authentication}
      value={mode}
      onChange={(next) => onMode?.(String(next))}
    >
      <Stack gap="xs" mt="xs">
        {modes.map(({ id, title, description }) => (
          <Radio key={id} value={id} label={title} description={description} disabled={disabled} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
