import { Group } from '@mantine/core'
import { ButtonLink } from '../../components/links.tsx'
import { Panel } from '../../components/panel.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { sandboxTexts } from '../../texts/sandbox.ts'
import { tryTexts } from '../../texts/try.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { useSample } from './sample.ts'
import { TryButton } from './try-card.tsx'

const texts = tryTexts.panel

/** The way back to the search, and on to an own destination, while the sandbox is the only one. */
export function SandboxPanel({ sandbox }: { sandbox: Sandbox }) {
  const { id: workspaceId, role } = useWorkspace()
  const { data: sample } = useSample()
  const { documents, max_documents: most } = sandbox
  const isDeveloper = may(role, 'developer')
  return (
    <Panel title={texts.title} description={`${sandboxTexts.about(most)} ${sandboxTexts.holds(documents)}`}>
      <Group gap="xs" align="flex-end">
        {isDeveloper && sample?.source_id ? <TryButton label={texts.search} /> : null}
        {isDeveloper ? (
          <ButtonLink
            variant="default"
            to="/w/$workspaceId/connectors/$kind/new"
            params={{ workspaceId, kind: 'destination' }}
          >
            {sandboxTexts.useOwn}
          </ButtonLink>
        ) : null}
      </Group>
    </Panel>
  )
}
