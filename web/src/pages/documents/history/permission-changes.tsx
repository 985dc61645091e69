import { Text } from '@mantine/core'
import { Principal } from '../../../components/principal.tsx'
import { documentTexts } from '../../../texts/documents.ts'
import { labTexts } from '../../../texts/lab.ts'
import type { Terms } from '../../../texts/nouns.ts'
import type { PermissionChange } from '../types.ts'
import classes from './changes.module.css'

const { changes: texts, readers } = documentTexts

type Props = { changes: PermissionChange[]; destinationId: string | null; terms: Terms }

/** For each level who was added and removed, by name. */
export function PermissionChanges({ changes, destinationId, terms }: Props) {
  if (changes.length === 0) return <Text c="dimmed">{texts.samePermissions}</Text>
  return (
    <ul className={classes.levels}>
      {changes.map(({ level, id, title, added, removed, restriction }) => (
        <li key={`${level} ${id}`}>
          <Text span c="dimmed">
            {labTexts.proof.pass[level](terms)}
          </Text>{' '}
          <Text span fw={600}>
            {title ?? id}
          </Text>{' '}
          {texts.restriction[restriction]}
          <Names kind="added" principals={added} destinationId={destinationId} />
          <Names kind="removed" principals={removed} destinationId={destinationId} />
        </li>
      ))}
    </ul>
  )
}

function tokensOf({ users, groups, classes: names }: PermissionChange['added']): string[] {
  return [
    ...names.map((id) => `class:${id}`),
    ...groups.map((id) => `group:${id}`),
    ...users.map((id) => `user:${id}`),
  ]
}

type NamesProps = {
  kind: 'added' | 'removed'
  principals: PermissionChange['added']
  destinationId: string | null
}

function Names({ kind, principals, destinationId }: NamesProps) {
  const tokens = tokensOf(principals)
  if (tokens.length === 0) return null
  return (
    <ul className={classes.names} aria-label={texts[kind]}>
      {tokens.map((token) => (
        <li key={token} className={classes.lines} data-kind={kind}>
          <span className={classes.line}>
            <Principal token={token} destinationId={destinationId} />
          </span>
        </li>
      ))}
      {principals.more > 0 ? (
        <li className={classes.lines} data-kind={kind}>
          <span className={classes.line}>{readers.more(principals.more)}</span>
        </li>
      ) : null}
    </ul>
  )
}
