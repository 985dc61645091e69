import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ApiError } from '../../service/errors.ts'
import { type Api, useApi } from '../../service/session.ts'
import type { Terms } from '../../texts/nouns.ts'
import { searchTexts } from '../../texts/search.ts'
import { useWritersTerms } from '../connectors/source-terms.ts'
import classes from './proof.module.css'
import { Token } from './token.tsx'
import type { Explanation, Level, Person } from './types.ts'
import { useSearchAddress } from './use-search-address.ts'

const texts = searchTexts.proof

/** Why a person can or cannot read a document, level by level. */
export function Proof({ records, person }: { records: string[]; person: Person }) {
  const api = useApi()
  const { address } = useSearchAddress()
  const path = `/destinations/${address.destination}/explain`
  const explanation = useQuery({
    queryKey: [...api.query(path).queryKey, records, person],
    queryFn: ({ signal }) => firstKnown(api, path, { records, person, signal }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  })
  if (explanation.error instanceof ApiError && explanation.error.code === 'not_found') {
    return (
      <Alert variant="outline" color="var(--mr-warning)" p="sm" role="status">
        {searchTexts.explain.unknown}
      </Alert>
    )
  }
  if (explanation.isError) return <QueryFailure query={explanation} />
  if (!explanation.data) return <Skeleton height={120} aria-label={texts.loading} />
  return <Chain explanation={explanation.data} />
}

type ExplainRequest = { records: string[]; person: Person; signal: AbortSignal }

/** An address may mean two record ids; uses the known one. */
async function firstKnown(
  api: Api,
  path: string,
  { records, person, signal }: ExplainRequest,
): Promise<Explanation> {
  const [record, ...others] = records
  try {
    return await api.post<Explanation>(path, { record_id: record, as: person }, { signal })
  } catch (error) {
    const unknown = error instanceof ApiError && error.code === 'not_found'
    if (!unknown || others.length === 0) throw error
    return firstKnown(api, path, { records: others, person, signal })
  }
}

function Chain({ explanation: { allowed, chain } }: { explanation: Explanation }) {
  const { address } = useSearchAddress()
  const terms = useWritersTerms(address.destination)
  const stop = chain.find(({ satisfied }) => !satisfied)
  return (
    <Stack gap="sm" role="status">
      <Text fw={600} c={allowed ? 'var(--mr-good)' : 'var(--mr-bad)'}>
        {allowed
          ? texts.allowed
          : stop
            ? texts.stopped(texts.levels[stop.level](terms), stop.title)
            : texts.unproved}
      </Text>
      <ol className={classes.chain} aria-label={texts.label(terms)}>
        {chain.map((level) => (
          <LevelItem key={`${level.level} ${level.id}`} level={level} terms={terms} />
        ))}
      </ol>
    </Stack>
  )
}

function LevelItem({ level: explained, terms }: { level: Level; terms: Terms }) {
  const { level, title, rule, satisfied, by, as_of: asOf } = explained
  const Icon = satisfied ? IconCircleCheck : IconHandStop
  return (
    <li className={classes.level} data-stops={!satisfied || undefined}>
      <span className={classes.icon}>
        <Icon size={18} role="img" aria-label={satisfied ? texts.letsIn : texts.stops} />
      </span>
      <div className={classes.what}>
        <Text size="sm">
          <Text span inherit c="dimmed">
            {texts.levels[level](terms)}
          </Text>{' '}
          <Text span inherit fw={600}>
            {title}
          </Text>
        </Text>
        <Rule rule={rule} />
        <Text size="sm" c="dimmed">
          {satisfied ? texts.letsIn : texts.stops}
          {by ? (
            <>
              {' '}
              {texts.by} <Token token={by} />
            </>
          ) : null}
          , {texts.asOf} <RelativeTime at={asOf} />
        </Text>
      </div>
    </li>
  )
}

// About two lines; a rule may name fifty groups.
const SHORT = 140

function Rule({ rule }: { rule: string }) {
  if (rule.length <= SHORT) {
    return (
      <Text size="sm" className={classes.rule}>
        {rule}
      </Text>
    )
  }
  return (
    <details className={classes.rule}>
      <summary>
        {rule.slice(0, SHORT)}… <span className={classes.more}>{texts.more}</span>
      </summary>
      {rule}
    </details>
  )
}
