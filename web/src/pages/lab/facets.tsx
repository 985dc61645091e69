import { Button, Group, Menu, Pill, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconChevronDown } from '@tabler/icons-react'
import { useNames } from '../../service/names.ts'
import { labTexts } from '../../texts/lab.ts'
import { count } from '../../texts/times.ts'
import { FACETS, useSpaceWords } from './comparison.ts'
import classes from './facets.module.css'
import { CLEARED_FILTERS, chosenOf, filtersOf, toggled } from './filters.ts'
import { useLab } from './lab-context.ts'
import { listOf } from './person.ts'
import type { Comparison, FacetName } from './types.ts'
import { valueWords } from './value-words.ts'

const texts = labTexts.facets
type Props = { results: Pick<Comparison, 'facets' | 'facets_relation'> | undefined }

/** How many documents have each value; chosen values become chips. */
export function Facets({ results }: Props) {
  return (
    <Stack gap="xs" role="group" aria-label={texts.label}>
      <Group gap={8}>
        {FACETS.map((facet) => (
          <Facet
            key={facet}
            facet={facet}
            counts={results && (results.facets?.[facet] ?? [])}
            isAtLeast={results?.facets_relation === 'gte'}
          />
        ))}
      </Group>
      <ChosenFilters />
    </Stack>
  )
}

/** `counts` is undefined while the results load. */
type FacetProps = {
  facet: FacetName
  counts: { value: string; count: number }[] | undefined
  isAtLeast: boolean
}

function Facet({ facet, counts, isAtLeast }: FacetProps) {
  const { address, terms, go } = useLab()
  const wordsOf = useValueWords(facet, counts?.map(({ value }) => value) ?? [])
  const chosen = chosenOf(facet, address)
  return (
    <Menu position="bottom-start" width={280}>
      <Menu.Target>
        <Button variant="default" size="compact-sm" rightSection={<IconChevronDown size={14} />}>
          {texts.names[facet](terms)}
          {chosen.length > 0 ? ` (${chosen.length})` : ''}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
        {counts?.map(({ value, count: documents }) => (
          <Menu.Item
            key={value}
            leftSection={chosen.includes(value) ? <IconCheck size={14} aria-hidden="true" /> : null}
            rightSection={
              <Text span size="sm" c="dimmed" className="figures">
                {isAtLeast ? texts.atLeast(documents) : count(documents)}
                <VisuallyHidden> {texts.documents(documents)}</VisuallyHidden>
              </Text>
            }
            onClick={() => void go({ ...toggled(facet, value, address), record: undefined })}
          >
            {wordsOf(value)}
          </Menu.Item>
        )) ?? <Skeleton height={96} />}
        {counts?.length === 0 ? <Menu.Label>{texts.none}</Menu.Label> : null}
      </Menu.Dropdown>
    </Menu>
  )
}

/** Values in words; authors and spaces by name. */
function useValueWords(facet: FacetName, values: readonly string[]): (value: string) => string {
  const { destination, terms } = useLab()
  const { users } = useNames(destination.id, { users: facet === 'author' ? values : [] })
  const wordsOfSpace = useSpaceWords()
  if (facet === 'space_key') return wordsOfSpace
  return (value) => users.get(value) ?? valueWords(facet, value, terms)
}

/** The chosen filters as chips that remove themselves. */
function ChosenFilters() {
  const { address, go } = useLab()
  if (!filtersOf(address)) return null
  return (
    <Group gap={8} role="group" aria-label={texts.chosen}>
      {FACETS.map((facet) => (
        <ChosenValues key={facet} facet={facet} />
      ))}
      <ChosenDates />
      {listOf(address.below).length > 0 ? (
        <FilterChip
          name={texts.below}
          value={address.below ?? ''}
          onRemove={() => void go({ below: undefined, record: undefined })}
        />
      ) : null}
      <Button
        variant="subtle"
        size="compact-sm"
        onClick={() => void go({ ...CLEARED_FILTERS, record: undefined })}
      >
        {texts.clear}
      </Button>
    </Group>
  )
}

function ChosenValues({ facet }: { facet: FacetName }) {
  const { address, terms, go } = useLab()
  const chosen = chosenOf(facet, address)
  const wordsOf = useValueWords(facet, chosen)
  return chosen.map((value) => (
    <FilterChip
      key={value}
      name={texts.names[facet](terms)}
      value={wordsOf(value)}
      onRemove={() => void go({ ...toggled(facet, value, address), record: undefined })}
    />
  ))
}

/** Dates that are not exactly one month. */
function ChosenDates() {
  const { address, go } = useLab()
  const { from, until } = address
  if ((!from && !until) || chosenOf('modified', address).length > 0) return null
  const words = [from ? texts.since(from) : '', until ? texts.before(until) : ''].filter(Boolean).join(' ')
  return (
    <FilterChip
      name={texts.names.modified()}
      value={words}
      onRemove={() => void go({ from: undefined, until: undefined, record: undefined })}
    />
  )
}

function FilterChip({ name, value, onRemove }: { name: string; value: string; onRemove: () => void }) {
  return (
    <Pill
      withRemoveButton
      size="md"
      className={classes.chip}
      removeButtonProps={{ 'aria-hidden': undefined, 'aria-label': texts.remove(name, value), tabIndex: 0 }}
      onRemove={onRemove}
    >
      {name}: {value}
    </Pill>
  )
}
