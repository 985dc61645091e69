import { ButtonLink } from '../../../components/links.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { connectorsTexts } from '../../../texts/connectors.ts'
import { useConnectors } from '../queries.ts'
import type { Kind } from '../types.ts'

const texts = connectorsTexts.next

/** What to do with a tested connector that no workflow uses. */
export function NextStepButton({ kind, id }: { kind: Kind; id: string }) {
  const { id: workspaceId } = useWorkspace()
  const other: Kind = kind === 'source' ? 'destination' : 'source'
  const others = useConnectors(other).data
  if (!others) return null
  if (others.length === 0)
    return (
      <ButtonLink to="/w/$workspaceId/connectors/$kind/new" params={{ workspaceId, kind: other }}>
        {texts.connector[other]}
      </ButtonLink>
    )
  return (
    <ButtonLink
      to="/w/$workspaceId/connect"
      params={{ workspaceId }}
      search={kind === 'source' ? { source: id, step: 'destination' } : { destination: id }}
    >
      {texts.workflow}
    </ButtonLink>
  )
}
