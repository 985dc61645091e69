import { Checkbox, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Loaded } from '../../components/loaded.tsx'
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
  const destinations = useQuery(api.list<SearchDestination>('/search/destinations'))
  return (
    <Loaded query={destinations} size={0}>
      {(all) =>
        all.length < 2 ? null : (
          <Checkbox.Group
            label={texts.destinations}
            description={texts.destinationsHelp}
            value={chosen}
            onChange={onChange}
          >
            <Stack gap="xs" mt="xs">
              {all.map(({ id, name, sandbox }) => (
                <Checkbox key={id} value={id} label={sandbox ? sandboxTexts.option(name) : name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )
      }
    </Loaded>
  )
}
