import { Checkbox, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { SearchDestination } from '../../service/types.ts'
import { keysTexts } from '../../texts/keys.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'

const texts = keysTexts.new

/** Nothing to choose in a workspace with one destination. */
export function DestinationChoice({
  chosen,
  onChange,
}: {
  chosen: string[]
  onChange: (ids: string[]) => void
}) {
  const api = useApi()
  const { data = [] } = useQuery(api.list<SearchDestination>('/search/destinations'))
  if (data.length < 2) return null
  return (
    <Checkbox.Group
      label={texts.destinations}
      description={texts.destinationsHelp}
      value={chosen}
      onChange={onChange}
    >
      <Stack gap="xs" mt="xs">
        {data.map(({ id, name, sandbox }) => (
          <Checkbox key={id} value={id} label={sandbox ? sandboxTexts.option(name) : name} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
