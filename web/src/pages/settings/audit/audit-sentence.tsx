import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Principal } from '../../../components/principal.tsx'
import { type Thing, ThingLink } from '../../../components/thing-link.tsx'
import { useApi } from '../../../service/session.ts'
import { actorOf, type Entry, type Part, sentenceOf } from './sentence.ts'

/** "Ann Bell started the workflow Handbook", with a link to what still exists. */
export function AuditSentence({ entry }: { entry: Entry }) {
  return (
    <Text size="sm" component="span" style={{ overflowWrap: 'anywhere' }}>
      <Text span inherit fw={500}>
        {actorOf(entry)}
      </Text>{' '}
      {sentenceOf(entry).map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order.
        <SentencePart key={index} part={part} />
      ))}
    </Text>
  )
}

function SentencePart({ part: { text, target, account } }: { part: Part }) {
  const exists = useExisting()
  if (account) {
    const { id, destination } = account
    const known = exists({ kind: 'destination', id: destination }) ? destination : null
    return <Principal token={`user:${id}`} destinationId={known} bare />
  }
  if (!target || !exists(target)) return text
  return (
    <ThingLink inherit thing={target}>
      {text}
    </ThingLink>
  )
}

const LISTS = { source: '/sources', destination: '/destinations', workflow: '/workflows', job: '/jobs/' }

/** By the lists of the workspace, which the other screens share. */
function useExisting(): (thing: Thing) => boolean {
  const api = useApi()
  const sources = useQuery(api.query<{ id: string }[]>(LISTS.source)).data
  const destinations = useQuery(api.query<{ id: string }[]>(LISTS.destination)).data
  const workflows = useQuery(api.query<{ id: string }[]>(LISTS.workflow)).data
  const jobs = useQuery(api.query<{ id: string }[]>(LISTS.job)).data
  const lists = { source: sources, destination: destinations, workflow: workflows, job: jobs }
  return ({ kind, id }) => lists[kind]?.some((each) => each.id === id) ?? false
}
