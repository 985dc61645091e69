import { Group, Stack, Text, Title } from '@mantine/core'
import { IconLock, IconLockOpen } from '@tabler/icons-react'
import { Fragment, useState } from 'react'
import { TextLink } from '../../components/links.tsx'
import { Principal } from '../../components/principal.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateBadge } from '../../components/state-badge.tsx'
import { useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { documentTexts } from '../../texts/documents.ts'
import type { Terms } from '../../texts/nouns.ts'
import classes from './document.module.css'
import { NamedReaders } from './readers.tsx'
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
            <Levels permissions={permissions} terms={terms} />
            <WhoCanRead recordId={recordId} destinationId={destinationId} />
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

function Levels({ permissions: { levels }, terms }: { permissions: DocumentPermissions; terms: Terms }) {
  return (
    <Stack gap={4}>
      <Title order={2} size="h3">
        {texts.levels}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.levelsText}
      </Text>
      <ol className={classes.levels}>
        {levels.map(({ level, id, title, restricted }) => {
          const Icon = restricted ? IconLock : IconLockOpen
          return (
            <li key={`${level} ${id}`}>
              <Icon size={16} aria-hidden="true" />
              <span>
                <Text span c="dimmed">
                  {texts.names[level](terms)}
                </Text>{' '}
                <Text span fw={600}>
                  {title ?? id}
                </Text>
                <br />
                {restricted ? texts.restricted : texts.open}
              </span>
            </li>
          )
        })}
      </ol>
    </Stack>
  )
}

function WhoCanRead({ recordId, destinationId }: { recordId: string; destinationId: string | null }) {
  const { id: workspaceId, role } = useWorkspace()
  if (!may(role, 'administrator') || !destinationId)
    return (
      <Text size="sm" c="dimmed">
        {texts.askAdministrator}
      </Text>
    )
  return (
    <Stack gap="xs">
      <NamedReaders recordId={recordId} destinationId={destinationId} />
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
}
