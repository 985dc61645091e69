import { Alert, Stack, Text } from '@mantine/core'
import { IconEyeOff } from '@tabler/icons-react'
import { TextLink } from '../../components/links.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { labTexts } from '../../texts/lab.ts'
import { useAllWorkflows } from '../workflows/queries.ts'
import { useSpaceWords } from './comparison.ts'
import { useLab } from './lab-context.ts'
import classes from './results.module.css'
import type { HiddenScope } from './types.ts'

const texts = labTexts.hidden
/** Per workflow; the rest is counted. */
const MAX_SHOWN = 5

/** Says which scopes search hides from everyone, why, and what to do. */
export function HiddenScopes({ hidden }: { hidden: HiddenScope[] }) {
  const { id: workspaceId, role } = useWorkspace()
  const isViewer = may(role, 'viewer')
  const { scope: noun } = useLab().terms
  const wordsOf = useSpaceWords()
  const workflows = useAllWorkflows(isViewer).data ?? []
  if (hidden.length === 0) return null
  const byWorkflow = [...Map.groupBy(hidden, ({ workflow_id: id }) => id)]
  return (
    <Alert
      variant="outline"
      color="var(--mr-warning)"
      icon={<IconEyeOff size={18} />}
      p="sm"
      title={texts.title(hidden.length, noun)}
    >
      <Stack gap="xs">
        <Text size="sm">{isViewer ? texts.text : texts.forReaders}</Text>
        <ul className={classes.hidden}>
          {byWorkflow.map(([id, scopes]) => (
            <li key={id}>
              {isViewer ? (
                <>
                  <TextLink
                    size="sm"
                    to="/w/$workspaceId/workflows/$workflowId"
                    params={{ workspaceId, workflowId: id }}
                  >
                    {workflows.find((workflow) => workflow.id === id)?.name ?? texts.workflow}
                  </TextLink>
                  {': '}
                </>
              ) : null}
              {scopes.slice(0, MAX_SHOWN).map(({ scope, proved_at: at }, index) => (
                <span key={scope}>
                  {index > 0 ? ', ' : ''}
                  {wordsOf(scope)} ({at ? `${texts.read} ` : ''}
                  <RelativeTime at={at} absent={texts.never} />)
                </span>
              ))}
              {scopes.length > MAX_SHOWN ? texts.more(scopes.length - MAX_SHOWN) : ''}
            </li>
          ))}
        </ul>
      </Stack>
    </Alert>
  )
}
