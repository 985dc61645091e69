import { Autocomplete, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type { FieldProps } from '../../schema-form/form.ts'
import { useApi } from '../../service/session.ts'
import { searchTexts } from '../../texts/search.ts'

const texts = searchTexts.form
const TYPING_MS = 250
// As many as fit; typing more narrows them.
const SHOWN = 6

type Found = { people: { id: string; name: string | null }[] }

/** An account id, typed or picked by name. Typing works without the source. */
export function PersonPicker({ destination, field }: { destination: string; field: FieldProps<string> }) {
  const api = useApi()
  const [typed] = useDebouncedValue(field.value.trim(), TYPING_MS)
  const { data } = useQuery({
    ...api.query<Found>(`/destinations/${destination}/people`, { query: typed || undefined }),
    enabled: destination !== '',
    placeholderData: (before) => before,
    retry: false,
    staleTime: 5 * 60_000,
  })
  const people = data?.people ?? []
  const names = new Map(people.map(({ id, name }) => [id, name]))
  const chosen = names.get(field.value.trim())
  return (
    <Autocomplete
      label={texts.user}
      description={chosen ? texts.userIs(chosen) : texts.userHelp}
      placeholder={texts.userExample}
      autoComplete="off"
      data={people.map(({ id }) => id)}
      // The source already filtered; the text may be a name or an id.
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{names.get(option.value) ?? texts.nameless}</Text>
          <Text size="xs" c="dimmed" className="mono">
            {option.value}
          </Text>
        </div>
      )}
      limit={SHOWN}
      withScrollArea={false}
      comboboxProps={{ withinPortal: false }}
      {...field}
      onBlur={() => {
        // A complete name selects its person if only one has it.
        const matches = people.filter(({ name }) => name?.toLowerCase() === field.value.trim().toLowerCase())
        if (matches.length === 1 && matches[0]) field.onChange(matches[0].id)
      }}
    />
  )
}
