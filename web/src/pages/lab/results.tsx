import { Button, Group, Skeleton, Stack, Switch, Text, Title } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import { QueryFailure } from '../../components/query-failure.tsx'
import { labTexts } from '../../texts/lab.ts'
import { useComparison } from './comparison.ts'
import { Facets } from './facets.tsx'
import { filtersOf } from './filters.ts'
import { HiddenScopes } from './hidden-scopes.tsx'
import { useLab } from './lab-context.ts'
import { ResultPane } from './pane/result-pane.tsx'
import { usePersonNames } from './people.ts'
import { isSelf } from './person.ts'
import { resultId } from './result-id.ts'
import { ResultRow, titleId } from './result-row.tsx'
import classes from './results.module.css'
import { findsSummary } from './summary.ts'
import type { Comparison } from './types.ts'

const texts = labTexts.results

/** What the people find, in one list with a status for each. */
export function Results() {
  const id = useId()
  const { address, named, people, go } = useLab()
  const loaded = usePersonNames(people)
  const comparison = useComparison()
  const pages = comparison.data?.pages ?? []
  const [first] = pages
  // The response has the names of people; requested ones may come later and move the list.
  const names = people.map(
    (person, at) => (isSelf(person) || person.groups ? null : first?.people[at]?.name) ?? loaded[at] ?? '',
  )
  const documents = pages.flatMap((page) => page.documents)
  const chosen = documents.find((document) => resultId(document) === address.record)
  const isCompared = named.length > 1
  return (
    <section aria-labelledby={id} aria-busy={comparison.isPending}>
      <Stack gap="md">
        <Group justify="space-between" gap="sm">
          <Title order={2} id={id}>
            {texts.heading}
          </Title>
          {comparison.isError && !first ? null : <Facets results={first} />}
        </Group>
        <HiddenScopes hidden={first?.hidden ?? []} />
        {comparison.isError && !first ? (
          <QueryFailure query={comparison} />
        ) : !first ? (
          <ResultsSkeleton />
        ) : (
          <div className={classes.split} data-open={chosen !== undefined || undefined}>
            <Stack gap="sm" className={classes.list}>
              <Group justify="space-between" gap="sm">
                <Text fw={500} className="figures" aria-live="polite">
                  {findsSummary(first, people, names)}
                </Text>
                {isCompared ? (
                  <Switch
                    label={texts.onlyDifferences}
                    checked={address.differences ?? false}
                    onChange={(event) =>
                      void go({ differences: event.currentTarget.checked || undefined, record: undefined })
                    }
                  />
                ) : null}
              </Group>
              {first.people.map(({ active }, index) =>
                active ? null : (
                  // biome-ignore lint/suspicious/noArrayIndexKey: one entry per person, in their order.
                  <Text key={index} size="sm">
                    {texts.inactive(names[index] ?? '')}
                  </Text>
                ),
              )}
              {documents.length === 0 ? (
                <NoResults comparison={first} names={names} />
              ) : (
                <ol className={classes.rows}>
                  {documents.map((document) => (
                    <ResultRow
                      key={resultId(document)}
                      document={document}
                      names={names}
                      isChosen={document === chosen}
                    />
                  ))}
                </ol>
              )}
              <MoreResults comparison={comparison} shown={documents.map(resultId)} />
              {pages.at(-1)?.incomplete ? <Text size="sm">{texts.incomplete}</Text> : null}
            </Stack>
            {chosen ? <ResultPane key={resultId(chosen)} document={chosen} names={names} /> : null}
          </div>
        )}
      </Stack>
    </section>
  )
}

type MoreProps = { comparison: ReturnType<typeof useComparison>; shown: string[] }

/** Loads the next page; then the first new result takes the focus. */
function MoreResults({ comparison, shown }: MoreProps) {
  const before = useRef<number>(undefined)
  const next = before.current === undefined ? undefined : shown[before.current]
  useEffect(() => {
    if (next === undefined) return
    before.current = undefined
    document.getElementById(titleId(next))?.focus()
  }, [next])
  if (!comparison.hasNextPage) return null
  return (
    <Stack gap="sm" align="flex-start">
      {comparison.isFetchNextPageError ? <QueryFailure query={comparison} /> : null}
      <Button
        variant="default"
        loading={comparison.isFetchingNextPage}
        onClick={() => {
          before.current = shown.length
          void comparison.fetchNextPage()
        }}
      >
        {texts.more}
      </Button>
    </Stack>
  )
}

type NoResultsProps = { comparison: Comparison; names: string[] }

function NoResults({ comparison: { incomplete }, names }: NoResultsProps) {
  const { address, named, mayName } = useLab()
  const { query = '' } = address
  if (address.differences && named.length > 1 && !incomplete)
    return <Text c="dimmed">{texts.noDifferences}</Text>
  const [name = ''] = names
  const what =
    named.length > 1
      ? texts.none(query)
      : named.length === 1
        ? texts.noneFor(name, query)
        : texts.noneOwn(query)
  return (
    <Text c="dimmed">
      {incomplete ? texts.noneSoFar : what} {filtersOf(address) ? `${texts.noneFiltered} ` : ''}
      {mayName ? texts.noneWritten : texts.noneWrittenOwn}
    </Text>
  )
}

function ResultsSkeleton() {
  return (
    <Stack gap="sm" aria-label={texts.loading} role="status">
      <Skeleton height={24} width="60%" />
      <Skeleton height={88} />
      <Skeleton height={88} />
      <Skeleton height={88} />
    </Stack>
  )
}
