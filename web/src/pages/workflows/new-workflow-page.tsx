import { Alert, SimpleGrid, Text } from '@mantine/core'
import { IconLock, IconSitemap, IconWand } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { roleTexts } from '../../texts/roles.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'
import classes from '../connectors/type-tile.module.css'

/** Two ways: a short form, or an editor for every node. */
export function NewWorkflowPage() {
  const { id: workspaceId, role } = useWorkspace()
  const { build } = texts
  return (
    <>
      <PageHeader title={texts.new} />
      {may(role, 'operator') ? (
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <Link className={classes.tile} to="/w/$workspaceId/workflows/new/simple" params={{ workspaceId }}>
            <IconWand size={28} stroke={1.5} className={classes.icon} aria-hidden="true" />
            <TileText title={build.simple} text={build.simpleText} />
          </Link>
          <Link className={classes.tile} to="/w/$workspaceId/workflows/new/custom" params={{ workspaceId }}>
            <IconSitemap size={28} stroke={1.5} className={classes.icon} aria-hidden="true" />
            <TileText title={build.custom} text={build.customText} />
          </Link>
        </SimpleGrid>
      ) : (
        <Alert variant="outline" icon={<IconLock size={18} />}>
          {texts.needsOperator(roleTexts[role].name)}
        </Alert>
      )}
    </>
  )
}

function TileText({ title, text }: { title: string; text: string }) {
  return (
    <span>
      <Text component="span" display="block" fw={600}>
        {title}
      </Text>
      <Text component="span" display="block" size="sm" c="dimmed">
        {text}
      </Text>
    </span>
  )
}
