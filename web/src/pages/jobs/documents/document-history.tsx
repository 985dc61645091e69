import { Text } from '@mantine/core'
import { TextLink } from '../../../components/links.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { count, exactTime } from '../../../texts/times.ts'
import { errorName, sentence } from '../error-advice.ts'
import type { HistoryEntry } from '../types.ts'
import classes from './document-history.module.css'

const texts = jobTexts.drawer

/** The results of a document in each run, newest first. */
export function DocumentHistory({ entries, jobId }: { entries: HistoryEntry[]; jobId: string }) {
  const { id: workspaceId } = useWorkspace()
  if (entries.length === 0) return <Text c="dimmed">{texts.noHistory}</Text>
  return (
    <ol className={classes.list} aria-label={texts.historyList}>
      {entries.map(({ job_id: id, at, state, error, elements }) => (
        <li key={`${id} ${at}`} className={classes.entry}>
          <div className={classes.head}>
            <StateBadge state={state} />
            {id === jobId ? (
              <Text span size="sm" fw={600}>
                {texts.thisRun}
              </Text>
            ) : null}
            <TextLink to="/w/$workspaceId/jobs/$jobId" params={{ workspaceId, jobId: id }} size="sm">
              {exactTime(at)}
            </TextLink>
            {elements === null ? null : (
              <Text span size="sm" c="dimmed" className="figures">
                {texts.elementsOf(count(elements))}
              </Text>
            )}
          </div>
          {error ? (
            <Text size="sm" c="dimmed" className={classes.reason}>
              {errorName(error.code)}: {sentence(error.message)}
            </Text>
          ) : null}
        </li>
      ))}
    </ol>
  )
}
