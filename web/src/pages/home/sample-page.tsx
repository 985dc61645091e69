import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ButtonLink } from '../../components/links.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { Panel } from '../../components/panel.tsx'
import { QueryFailure } from '../../components/query-failure.tsx'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { homeTexts } from '../../texts/home.ts'
import { roleTexts } from '../../texts/roles.ts'
import { tryTexts } from '../../texts/try.ts'
import { CheckPanel } from '../connectors/check/check-panel.tsx'
import { useSandbox } from '../sandbox/sandbox.ts'
import { namesOf, type Sample, useSample } from './sample.ts'
import { TrySample } from './sample-card.tsx'
import { SamplePages } from './sample-pages.tsx'
import { SamplePeople } from './sample-people.tsx'
import { TryButton } from './try-card.tsx'
import type { Overview } from './types.ts'

const texts = homeTexts.sample

/** The elements of the sample pages, and the next step. */
export function SamplePage() {
  const sample = useSample()
  return (
    <>
      <PageHeader title={texts.page} description={sample.data === null ? texts.off : texts.text} />
      {sample.isError ? <QueryFailure query={sample} /> : null}
      {sample.isPending ? <Skeleton height={360} /> : null}
      {sample.data ? <SampleDetails sample={sample.data} /> : null}
    </>
  )
}

function SampleDetails({ sample }: { sample: Sample }) {
  const { role } = useWorkspace()
  const allowed = may(role, 'developer')
  const { source_id: id } = sample
  if (!allowed && id === null) {
    return (
      <Text>
        {texts.needsDeveloper} {roleTexts[role].name}.
      </Text>
    )
  }
  if (id === null) return <TrySample />
  return (
    <Stack gap="lg">
      <NextStepPanel sourceId={id} allowed={allowed} />
      {allowed ? <SamplePages sourceId={id} names={namesOf(sample)} /> : null}
      <CheckPanel kind="source" id={id} allowed={allowed} />
      <SamplePeople people={sample.people} />
    </Stack>
  )
}

/** The next step: the sandbox, or a destination if there is none, then a workflow. */
function NextStepPanel({ sourceId, allowed }: { sourceId: string; allowed: boolean }) {
  const { id: workspaceId } = useWorkspace()
  const overview = useQuery(useApi().query<Overview>('/overview'))
  const sandbox = useSandbox()
  if (!overview.data || sandbox.isPending) return <Skeleton height={120} />
  const needsIndex = overview.data.destinations === 0
  const offersTry = sandbox.data?.available === true && allowed
  if (offersTry && (sandbox.data?.documents ?? 0) > 0) {
    return (
      <Panel title={texts.next} description={texts.isWritten}>
        <TryButton label={tryTexts.panel.search} />
      </Panel>
    )
  }
  const description = offersTry ? texts.offersTry : needsIndex ? texts.needsIndex : texts.hasIndex
  return (
    <Panel title={texts.next} description={description}>
      <Group gap="xs" align="flex-end">
        {offersTry ? <TryButton /> : null}
        <ButtonLink
          variant={offersTry ? 'default' : 'filled'}
          to="/w/$workspaceId/connect"
          params={{ workspaceId }}
          search={{ source: sourceId, step: 'destination' }}
        >
          {texts.workflow}
        </ButtonLink>
        {needsIndex ? (
          <ButtonLink
            variant="default"
            to="/w/$workspaceId/connectors/$kind/new"
            params={{ workspaceId, kind: 'destination' }}
          >
            {texts.destination}
          </ButtonLink>
        ) : null}
      </Group>
    </Panel>
  )
}
