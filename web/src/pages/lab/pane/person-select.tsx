import { Select } from '@mantine/core'

type Props = {
  label: string
  names: string[]
  /** The places of the people to choose from. */
  among: number[]
  value: number
  onChange: (index: number) => void
}

/** One of the people of the search; hidden without a choice. */
export function PersonSelect({ label, names, among, value, onChange }: Props) {
  if (among.length < 2) return null
  return (
    <Select
      label={label}
      size="xs"
      allowDeselect={false}
      data={among.map((index) => ({ value: String(index), label: names[index] ?? '' }))}
      value={String(value)}
      onChange={(next) => onChange(Number(next ?? 0))}
      comboboxProps={{ withinPortal: false }}
    />
  )
}
