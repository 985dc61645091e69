import { Group, Stack, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { Principal } from '../../components/principal.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { documentTexts } from '../../texts/documents.ts'
import { labTexts } from '../../texts/lab.ts'
import type { Terms } from '../../texts/nouns.ts'
import readersClasses from '../lab/readers.module.css'
import { Readers } from '../lab/readers.tsx'
import classes from './document.module.css'
import type { DocumentPermissions, WorkflowDocument } from './types.ts'

const texts = documentTexts.readers

type Props = { recordId: string; workflow: WorkflowDocument; terms: Terms }

/** "Readable by …, checked … ago", with the levels behind it. */
export function PermissionLine({ recordId, workflow, terms }: Props) {
  const { permissions, destination_id: destinationId } = workflow
  const [open, setOpen] = useState(false)
  return (
    <div className={classes.permissions}>
      <Group gap="4px 8px">
        <Text span>
          <Summary permissions={permissions} destinationId={destinationId} />
          {permissions.checked_at ? (
            <>
              , {texts.checked} <RelativeTime at={permissions.checked_at} />
            </>
          ) : null}
        </Text>
        {permissions.status === 'fresh' ? null : <StateBadge state={permissions.status} />}
      </Group>
      {permissions.reason ? (
        <Text size="sm" c="var(--mr-bad)">
          {permissions.reason}
        </Text>
      ) : null}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className={classes.summary}>{texts.details}</summary>
        {open ? (
          <div className={classes.details}>
            <Details recordId={recordId} workflow={workflow} terms={terms} />
          </div>
        ) : null}
      </details>
    </div>
  )
}

type SummaryProps = { permissions: DocumentPermissions; destinationId: string | null }

function Summary({ permissions, destinationId }: SummaryProps) {
  const { everyone, people, groups, readers, status } = permissions
  const readableBy = status === 'hidden' ? texts.hiddenReadableBy : texts.readableBy
  if (everyone)
    return (
      <>
        {readableBy} <Principal token={everyone} destinationId={destinationId} />
      </>
    )
  if (people === null || groups === null) return <>{texts.unknown}</>
  const counts = [
    ...(groups > 0 ? [texts.groups(groups)] : []),
    ...(people > 0 ? [texts.people(people)] : []),
  ]
  if (!readers || counts.length === 0)
    return (
      <>
        {readableBy} {counts.length > 0 ? counts.join(` ${texts.and} `) : texts.none}
      </>
    )
  const tokens = [...readers.groups.map((id) => `group:${id}`), ...readers.people.map((id) => `user:${id}`)]
  const more = groups + people - tokens.length
  return (
    <>
      {readableBy}{' '}
      {tokens.map((token, index) => (
        <Fragment key={token}>
          {index === 0 ? '' : more === 0 && index === tokens.length - 1 ? ` ${texts.and} ` : ', '}
          <Principal token={token} destinationId={destinationId} bare={token.startsWith('user:')} />
        </Fragment>
      ))}
      {more > 0 ? ` ${texts.and} ${texts.more(more)}` : ''}
    </>
  )
}

/** Administrators see who passes each level; others see the levels. */
function Details({ recordId, workflow: { permissions, destination_id: destinationId }, terms }: Props) {
  const { id: workspaceId, role } = useWorkspace()
  if (may(role, 'administrator') && destinationId)
    return (
      <Stack gap="xs">
        <Readers recordId={recordId} destinationId={destinationId} terms={terms} />
        <TextLink
          to="/w/$workspaceId/search"
          params={{ workspaceId }}
          search={{ destination: destinationId, explain: recordId }}
          size="sm"
        >
          {texts.lab}
        </TextLink>
      </Stack>
    )
  return (
    <Stack gap="xs">
      <Text size="sm">{labTexts.access.levels}</Text>
      <ol className={readersClasses.levels}>
        {permissions.levels.map(({ level, id, title, restricted }) => (
          <li key={`${level} ${id}`}>
            {labTexts.proof.pass[level](terms)} <strong>{title ?? id}</strong>{' '}
            {restricted ? texts.restricted : labTexts.proof.open}
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        {texts.askAdministrator}
      </Text>
    </Stack>
  )
}
