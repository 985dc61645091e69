import { Button, Group, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { QueryFailure } from '../../components/query-failure.tsx'
import { type Api, useApi } from '../../service/session.ts'
import { searchTexts } from '../../texts/search.ts'
import { HitItem } from './hit.tsx'
import { listOf } from './person.ts'
import classes from './results.module.css'
import type { Found, Person, SearchAddress } from './types.ts'
import { useSearchAddress } from './use-search-address.ts'

const texts = searchTexts.results
const PAGE = 10

/** The results of each person, next to each other. */
export function Results() {
  const { address, people } = useSearchAddress()
  if (!address.query || !address.destination || people.length === 0) {
    return <Text c="dimmed">{texts.start}</Text>
  }
  return (
    <SimpleGrid cols={{ base: 1, md: people.length }} spacing="lg" verticalSpacing="xl">
      {people.map((person, index) => (
        <Column
          // biome-ignore lint/suspicious/noArrayIndexKey: both may be the same person.
          key={`${index} ${JSON.stringify(person)}`}
          person={person}
          other={people.length > 1 ? people[1 - index] : undefined}
        />
      ))}
    </SimpleGrid>
  )
}

function Column({ person, other }: { person: Person; other: Person | undefined }) {
  const api = useApi()
  const { address, go } = useSearchAddress()
  const id = useId()
  const found = useQuery(searchQuery(api, address, person))
  const others = useQuery({ ...searchQuery(api, address, other ?? person), enabled: other !== undefined })
  const page = address.page ?? 1
  const isLast = (found.data?.total ?? 0) <= page * PAGE || page === 100
  return (
    <section aria-labelledby={id} aria-busy={found.isPending}>
      <Group justify="space-between" align="baseline" mb="sm" gap="xs">
        <Title order={2} id={id} className={classes.who}>
          {texts.heading(personName(person))}
        </Title>
        <Text size="sm" c="dimmed" className="figures" aria-live="polite">
          {found.data ? texts.total(found.data.total) : ''}
        </Text>
      </Group>
      {found.isError ? (
        <QueryFailure query={found} />
      ) : !found.data ? (
        <Waiting />
      ) : found.data.hits.length === 0 ? (
        <Text c="dimmed">{texts.none}</Text>
      ) : (
        <ol className={classes.hits} start={(page - 1) * PAGE + 1}>
          {found.data.hits.map((hit) => (
            <HitItem
              key={hit.element_id}
              hit={hit}
              person={person}
              onlyHere={other !== undefined && isMissing(hit.record_id, others.data)}
            />
          ))}
        </ol>
      )}
      {page > 1 || !isLast ? (
        <Group justify="flex-end" mt="sm" gap="xs">
          <Text size="sm" c="dimmed">
            {texts.page(page)}
          </Text>
          <Button
            variant="default"
            size="xs"
            disabled={page === 1}
            onClick={() => go({ page: page > 2 ? page - 1 : undefined })}
          >
            {texts.previous}
          </Button>
          <Button variant="default" size="xs" disabled={isLast} onClick={() => go({ page: page + 1 })}>
            {texts.next}
          </Button>
        </Group>
      ) : null}
    </section>
  )
}

/** Fetched once: every search is audited, and refocusing a window is not one. */
function searchQuery(api: Api, address: SearchAddress, person: Person) {
  const { destination, query, space, page = 1 } = address
  const labels = listOf(address.labels)
  const filters = { ...(space ? { space_key: space } : {}), ...(labels.length > 0 ? { labels } : {}) }
  const body = {
    query,
    as: person,
    size: PAGE,
    from: (page - 1) * PAGE,
    ...(Object.keys(filters).length > 0 ? { filters } : {}),
  }
  const path = `/destinations/${destination}/search`
  return {
    queryKey: [...api.query(path).queryKey, body],
    queryFn: ({ signal }: { signal: AbortSignal }) => api.post<Found>(path, body, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  }
}

/** True only if all results of the other person are loaded. */
function isMissing(record: string, others: Found | undefined): boolean {
  if (!others || others.total > others.hits.length) return false
  return !others.hits.some(({ record_id: id }) => id === record)
}

export function personName({ user, groups }: Person): string {
  return user ?? texts.groupsOnly(groups?.length ?? 0)
}

function Waiting() {
  return (
    <Stack gap="md" aria-hidden="true">
      <Skeleton height={96} />
      <Skeleton height={96} />
      <Skeleton height={96} />
    </Stack>
  )
}
