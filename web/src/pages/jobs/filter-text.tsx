import { TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

type Props = {
  label: string
  placeholder: string
  value: string | undefined
  onChange: (value: string | undefined) => void
}

const DEBOUNCE_MS = 400

/** A filter that applies after a pause in typing. */
export function FilterText({ value = '', onChange, ...names }: Props) {
  const [text, setText] = useState(value)
  const apply = useDebouncedCallback((typed: string) => onChange(typed.trim() || undefined), DEBOUNCE_MS)
  // Cleared from outside.
  useEffect(() => {
    if (!value) setText('')
  }, [value])
  return (
    <TextInput
      {...names}
      leftSection={<IconSearch size={16} />}
      value={text}
      autoComplete="off"
      onChange={({ currentTarget: { value: typed } }) => {
        setText(typed)
        apply(typed)
      }}
      w={{ base: '100%', xs: 240 }}
    />
  )
}
