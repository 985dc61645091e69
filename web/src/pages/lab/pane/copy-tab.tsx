import { Select, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { Snippet } from '../../../components/snippet.tsx'
import { serviceAddress } from '../../../service/base-path.ts'
import { ApiError } from '../../../service/errors.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { may } from '../../../service/types.ts'
import { labTexts } from '../../../texts/lab.ts'
import { filtersOf } from '../filters.ts'
import { useLab } from '../lab-context.ts'
import { asPerson } from '../person.ts'
import type { NativeQuery } from '../types.ts'
import { nativeSnippet, searchSnippets } from './snippets.ts'

const texts = labTexts.copy
const SIZE = 10
const languages = ['curl', 'typescript', 'python'] as const

/** The search of one person as code, and as the query of the destination. */
export function CopyTab({ names }: { names: string[] }) {
  const { address, destination, people } = useLab()
  const [chosen, setChosen] = useState(0)
  const filters = filtersOf(address)
  const body = {
    query: address.query,
    ...asPerson(people[chosen] ?? {}),
    ...(filters ? { filters } : {}),
    size: SIZE,
  }
  const snippets = searchSnippets({ origin: serviceAddress(), destinationId: destination.id, body })
  const native = useNativeQuery(body)
  const nativeTitle = native.data?.title
  const nativeCode = native.data ? nativeSnippet(native.data) : null
  return (
    <Stack gap="sm">
      {people.length > 1 ? (
        <Select
          label={texts.as}
          size="xs"
          allowDeselect={false}
          data={people.map((_, index) => ({ value: String(index), label: names[index] ?? '' }))}
          value={String(chosen)}
          onChange={(next) => setChosen(Number(next ?? 0))}
          comboboxProps={{ withinPortal: false }}
        />
      ) : null}
      <Tabs defaultValue="curl" keepMounted={false}>
        <Tabs.List aria-label={texts.label} mb="sm">
          {languages.map((language) => (
            <Tabs.Tab key={language} value={language} px={8}>
              {texts[language]}
            </Tabs.Tab>
          ))}
          {nativeTitle && nativeCode ? (
            <Tabs.Tab value="native" px={8}>
              {nativeTitle}
            </Tabs.Tab>
          ) : null}
        </Tabs.List>
        {languages.map((language) => (
          <Tabs.Panel key={language} value={language}>
            <Snippet code={snippets[language]} what={texts.what(texts[language])} />
            <Text size="sm" c="dimmed" mt="xs">
              {texts.key}
            </Text>
          </Tabs.Panel>
        ))}
        {nativeTitle && nativeCode ? (
          <Tabs.Panel value="native">
            <Snippet code={nativeCode} what={texts.what(nativeTitle)} />
            <Text size="sm" c="dimmed" mt="xs">
              {texts.native}
            </Text>
          </Tabs.Panel>
        ) : null}
      </Tabs>
      {native.error && !isMissing(native.error) ? <QueryFailure query={native} /> : null}
      {native.isLoading ? <Skeleton height={16} width="50%" /> : null}
    </Stack>
  )
}

/** Destinations without a query language of their own. */
function isMissing(error: Error): boolean {
  return error instanceof ApiError && error.code === 'not_possible'
}

function useNativeQuery(body: object) {
  const api = useApi()
  const { destination } = useLab()
  // The query names the index, which readers may not see.
  const isViewer = may(useWorkspace().role, 'viewer')
  const path = `/destinations/${destination.id}/native-query`
  return useQuery({
    queryKey: [...api.query(path).queryKey, body],
    queryFn: ({ signal }) => api.post<NativeQuery>(path, body, { signal }),
    enabled: isViewer,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
}
