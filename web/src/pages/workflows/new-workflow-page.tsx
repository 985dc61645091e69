import { SimpleGrid } from '@mantine/core'
import { IconSitemap, IconWand } from '@tabler/icons-react'
import { Link, Navigate } from '@tanstack/react-router'
import { ChoiceTile, openTile } from '../../components/choice-tile.tsx'
import { PageHeader } from '../../components/page-header.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { workflowsTexts as texts } from '../../texts/workflows.ts'

const ICON = { size: 28, stroke: 1.5, 'aria-hidden': true } as const

/** Two ways: the guide from connection to first run, or an editor for every step. */
export function NewWorkflowPage() {
  const { id: workspaceId, role } = useWorkspace()
  const { build } = texts
  const params = { workspaceId }
  // The guide changes the source, which operators may not.
  if (!may(role, 'developer'))
    return <Navigate to="/w/$workspaceId/workflows/new/custom" params={params} replace />
  return (
    <>
      <PageHeader title={texts.new} />
      <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }}>
        <ChoiceTile
          icon={<IconWand {...ICON} />}
          title={
            <Link className={openTile} to="/w/$workspaceId/connect" params={params}>
              {build.guided}
            </Link>
          }
          text={build.guidedText}
        />
        <ChoiceTile
          icon={<IconSitemap {...ICON} />}
          title={
            <Link className={openTile} to="/w/$workspaceId/workflows/new/custom" params={params}>
              {build.custom}
            </Link>
          }
          text={build.customText}
        />
      </SimpleGrid>
    </>
  )
}
