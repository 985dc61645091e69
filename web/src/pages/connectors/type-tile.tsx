import { Text } from '@mantine/core'
import { IconDatabaseSearch, IconNotebook, IconPlug } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useWorkspace } from '../../service/session.ts'
import { connectorsTexts as texts } from '../../texts/connectors.ts'
import classes from './type-tile.module.css'
import type { ConnectorType } from './types.ts'

const icons: Record<string, typeof IconPlug> = { wiki: IconNotebook, searchindex: IconDatabaseSearch }

export function TypeTile({ type: { type, kind, title } }: { type: ConnectorType }) {
  const { id: workspaceId } = useWorkspace()
  const Icon = icons[type] ?? IconPlug
  return (
    <Link
      className={classes.tile}
      to="/w/$workspaceId/connectors/$kind/new"
      params={{ workspaceId, kind }}
      search={{ type }}
    >
      <Icon size={28} stroke={1.5} className={classes.icon} aria-hidden="true" />
      <span>
        <Text component="span" display="block" fw={600}>
          {title}
        </Text>
        <Text component="span" display="block" size="sm" c="dimmed">
          {texts.about[type]}
        </Text>
      </span>
    </Link>
  )
}
