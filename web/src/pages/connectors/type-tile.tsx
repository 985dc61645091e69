import { Link } from '@tanstack/react-router'
import { ChoiceTile, openTile } from '../../components/choice-tile.tsx'
import { useWorkspace } from '../../service/session.ts'
import { TypeDocumentation } from './type-documentation.tsx'
import { TypeIcon } from './type-icon.tsx'
import type { ConnectorType } from './types.ts'

/** The whole tile opens the form of its type. */
export function TypeTile({ type }: { type: ConnectorType }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <ChoiceTile
      icon={<TypeIcon type={type} size={28} />}
      title={
        <Link
          className={openTile}
          to="/w/$workspaceId/connectors/$kind/new"
          params={{ workspaceId, kind: type.kind }}
          search={{ type: type.type }}
        >
          {type.title}
        </Link>
      }
      text={type.about}
      more={<TypeDocumentation type={type} />}
    />
  )
}
