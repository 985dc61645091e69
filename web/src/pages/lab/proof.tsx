import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconEyeOff, IconHandStop } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Principal } from '../../components/principal.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { ApiError } from '../../service/errors.ts'
import { useApi } from '../../service/session.ts'
import { labTexts } from '../../texts/lab.ts'
import { decidingFirst, explanationQuery } from './explanation.ts'
import { useLab } from './lab-context.ts'
import { isSelf } from './person.ts'
import { PrincipalList } from './principal-list.tsx'
import classes from './proof.module.css'
import type { Explanation, Level, Person, Status, StoppedBy } from './types.ts'

const texts = labTexts.proof

type Props = {
  recordId: string
  person: Person
  name: string
  /** What the search decided; absent for a checked document. */
  searched?: { status: Status; stoppedBy: StoppedBy | null }
}

/** Why a person finds a document or not, in words: the deciding level, then the others. */
export function Proof({ recordId, person, name, searched }: Props) {
  const { destination } = useLab()
  const explanation = useQuery(explanationQuery(useApi(), destination.id, { recordId, person }))
  if (searched?.status === 'hidden') return <Lead status="hidden">{texts.hidden}</Lead>
  if (explanation.error instanceof ApiError && explanation.error.code === 'not_found') {
    return (
      <Alert variant="outline" color="var(--mr-warning)" p="sm" role="status">
        {isSelf(person) ? labTexts.check.unknownSelf : labTexts.check.unknown}
      </Alert>
    )
  }
  if (explanation.data)
    return <Levels explanation={explanation.data} who={{ person, name }} searched={searched?.status} />
  // The ledger already knows what stopped them.
  return (
    <Stack gap="sm">
      {searched?.stoppedBy ? <Stopped level={searched.stoppedBy} /> : null}
      {explanation.isError ? <QueryFailure query={explanation} /> : <Skeleton height={72} />}
    </Stack>
  )
}

type Who = { person: Person; name: string }
type LevelsProps = { explanation: Explanation; who: Who; searched: Status | undefined }

function Levels({ explanation: { allowed, chain }, who, searched }: LevelsProps) {
  const { terms } = useLab()
  const { deciding, others } = decidingFirst(chain)
  const oldest = chain.map(({ as_of: at }) => at).sort()[0]
  return (
    <Stack gap={8} role="status">
      {allowed ? (
        <Lead status="found">
          {isSelf(who.person) ? texts.allowedSelf : texts.allowed(who.name)} {texts.checked}{' '}
          <RelativeTime at={oldest} />.
        </Lead>
      ) : deciding ? (
        <Stopped level={deciding} />
      ) : (
        <Lead status="stopped">{texts.unproved(who.name)}</Lead>
      )}
      {searched !== undefined && (searched === 'found') !== allowed ? (
        <Text size="sm" c="var(--mr-warning)">
          {allowed ? texts.changedStopped : texts.changedFound}
        </Text>
      ) : null}
      {others.length > 0 ? (
        <ol className={classes.levels} aria-label={texts.label(terms)}>
          {others.map((level) => (
            <PassedLevel key={`${level.level} ${level.id}`} level={level} who={who} />
          ))}
        </ol>
      ) : null}
    </Stack>
  )
}

/** “Stopped by the restriction of People team home: only group People team.” */
function Stopped({ level: stop }: { level: StoppedBy | Level }) {
  const { destination, terms } = useLab()
  const { level, title, principals, rule, as_of: at } = stop
  const named = principals.users.length + principals.groups.length + principals.classes.length
  return (
    <Lead status="stopped">
      {texts.stopped[level](terms)} <em className={classes.title}>{title ?? stop.id}</em>:{' '}
      {named > 0 ? (
        <>
          {texts.only} <PrincipalList principals={principals} destinationId={destination.id} />
        </>
      ) : rule === 'readable by no one' ? (
        texts.noOne
      ) : (
        rule
      )}
      . {texts.checked} <RelativeTime at={at} />.
    </Lead>
  )
}

const icons = { found: IconCircleCheck, stopped: IconHandStop, hidden: IconEyeOff }

function Lead({ status, children }: { status: Status; children: React.ReactNode }) {
  const Icon = icons[status]
  return (
    <div className={classes.lead} data-status={status}>
      <Icon size={18} aria-hidden="true" className={classes.sign} />
      <p className={classes.sentence}>{children}</p>
    </div>
  )
}

/** Quieter: a level that does not decide. */
function PassedLevel({ level: passed, who }: { level: Level; who: Who }) {
  const { destination, terms } = useLab()
  const { level, title, satisfied, by, principals, rule } = passed
  const isRestricted = rule !== 'not restricted here'
  return (
    <li>
      {texts.pass[level](terms)} <span className={classes.title}>{title}</span>{' '}
      {!satisfied ? (
        <>
          {texts.alsoStops}: {texts.only}{' '}
          <PrincipalList principals={principals} destinationId={destination.id} />
        </>
      ) : by ? (
        <>
          {isSelf(who.person) ? texts.throughSelf : texts.through(who.name)}{' '}
          <Principal token={by} destinationId={destination.id} name={nameOf(by, passed)} />
        </>
      ) : isRestricted ? (
        texts.passes
      ) : (
        texts.open
      )}
    </li>
  )
}

function nameOf(token: string, { principals: { users, groups } }: Level): string | null {
  const isIn = ({ id }: { id: string }) => token.endsWith(`:${id}`)
  return (token.startsWith('group:') ? groups : users).find(isIn)?.name ?? null
}
