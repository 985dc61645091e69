import { Text } from '@mantine/core'
import { documentTexts } from '../../../texts/documents.ts'
import type { DocumentChanges } from '../types.ts'
import classes from './changes.module.css'
import { changedLines, groupLines, type LineGroup } from './text-lines.ts'

const texts = documentTexts.changes

/** Added and removed lines, by sign and colour. */
export function TextChanges({ parts }: { parts: NonNullable<DocumentChanges['text']> }) {
  const lines = changedLines(parts)
  const added = lines.filter(({ kind }) => kind === 'added').length
  const removed = lines.filter(({ kind }) => kind === 'removed').length
  if (added + removed === 0) return <Text c="dimmed">{texts.sameText}</Text>
  return (
    <>
      <Text size="sm" c="dimmed" className="figures">
        {texts.counts(added, removed)}
      </Text>
      <div className={classes.text}>
        {groupLines(lines).map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed.
          <Lines key={index} group={group} />
        ))}
      </div>
    </>
  )
}

function Lines({ group: { kind, lines, collapsed } }: { group: LineGroup }) {
  if (collapsed)
    return (
      <details>
        <summary className={classes.more}>{texts.unchanged(lines.length)}</summary>
        <Lines group={{ kind, lines, collapsed: false }} />
      </details>
    )
  const Tag = kind === 'added' ? 'ins' : kind === 'removed' ? 'del' : 'div'
  return (
    <Tag className={classes.lines} data-kind={kind}>
      {kind === 'same' ? null : (
        <span className={classes.hidden}>{kind === 'added' ? texts.added : texts.removed}</span>
      )}
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is fixed.
        <span key={index} className={classes.line}>
          {line}
        </span>
      ))}
    </Tag>
  )
}
