import { Radio, Stack } from '@mantine/core'
import type { Modes } from './modes.ts'

type Props = {
  modes: Modes
  mode: string
  onMode?: ((mode: string) => void) | undefined
  disabled?: boolean | undefined
}

export function ModeChoice({ modes, mode, onMode, disabled = false }: Props) {
  return (
    <Radio.Group
      label={modes.label}
      description={modes.help}
      value={mode}
      onChange={(next) => onMode?.(String(next))}
    >
      <Stack gap="xs" mt="xs">
        {modes.options.map(({ value, label, help }) => (
          <Radio key={value} value={value} label={label} description={help} disabled={disabled} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
