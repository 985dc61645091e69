import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../service/session.ts'
import { TypeDocumentation } from './type-documentation.tsx'
import { TypeIcon } from './type-icon.tsx'
import classes from './type-tile.module.css'
import type { ConnectorType } from './types.ts'

/** The whole tile opens the form of its type. */
export function TypeTile({ type }: { type: ConnectorType }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <div className={classes.tile}>
      <TypeIcon type={type} size={28} className={classes.icon} />
      <div>
        <Link
          className={classes.open}
          to="/w/$workspaceId/connectors/$kind/new"
          params={{ workspaceId, kind: type.kind }}
          search={{ type: type.type }}
        >
          {type.title}
        </Link>
        <Text size="sm" c="dimmed">
          {type.about}
        </Text>
        <span className={classes.above}>
          <TypeDocumentation type={type} />
        </span>
      </div>
    </div>
  )
}
