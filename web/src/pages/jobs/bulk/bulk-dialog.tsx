import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { FormErrors } from '../../../components/form-errors.tsx'
import { TextLink } from '../../../components/links.tsx'
import { errorText } from '../../../components/notices.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import type { Job, ResponseOf } from '../../../service/types.ts'
import { bulkTexts } from '../../../texts/bulk.ts'
import { shellTexts } from '../../../texts/shell.ts'
import { exactTime } from '../../../texts/times.ts'
import { sentence } from '../error-advice.ts'
import { type BulkAction, bulkOf } from './bulk.ts'
import classes from './bulk-dialog.module.css'

type Retried = ResponseOf<'POST /api/v1/jobs/retry'>['results'][number]
type Approved = ResponseOf<'POST /api/v1/jobs/approve-deletions'>['results'][number]
type Result = Pick<Retried, 'job_id' | 'error'> & Partial<Retried & Approved>

type Props = { action: BulkAction; jobs: Job[]; onDone: () => void; onClose: () => void }

const paths: Record<BulkAction, string> = { retry: '/jobs/retry', approve: '/jobs/approve-deletions' }

/** Says what will happen, does it, then shows one result per job. */
export function BulkDialog({ action, jobs, onDone, onClose }: Props) {
  const api = useApi()
  const texts = bulkTexts[action]
  const { documents } = bulkOf(jobs, action)
  const run = useAction(
    () => api.post<{ results: Result[] }>(paths[action], { job_ids: jobs.map(({ id }) => id) }),
    { refreshes: ['/jobs', '/workflows', '/overview'], showsError: false, onSuccess: onDone },
  )
  const results = run.data?.results
  return (
    <Modal
      opened
      onClose={onClose}
      title={
        results ? texts.resultTitle(failuresIn(results), results.length) : texts.title(documents, jobs.length)
      }
      closeButtonProps={{ 'aria-label': shellTexts.close }}
    >
      <Stack>
        <FormErrors failure={run.error ? errorText(run.error) : undefined} />
        {results ? <Results action={action} jobs={jobs} results={results} /> : <Text>{texts.text}</Text>}
        {results ? null : (
          <ul className={classes.list}>
            {jobs.map((job) => (
              <li key={job.id}>
                {bulkTexts.job(job.workflow_name, exactTime(job.created_at))}:{' '}
                {texts.documents(bulkOf([job], action).documents)}
              </li>
            ))}
          </ul>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} data-autofocus>
            {results ? shellTexts.close : shellTexts.cancel}
          </Button>
          {results ? null : (
            <Button
              color={action === 'approve' ? 'red.9' : undefined}
              loading={run.isPending}
              onClick={() => run.mutate()}
            >
              {texts.confirm(documents)}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}

function Results({ action, jobs, results }: { action: BulkAction; jobs: Job[]; results: Result[] }) {
  const { id: workspaceId } = useWorkspace()
  return (
    <ul className={classes.list} aria-label={bulkTexts.results}>
      {results.map(({ job_id: id, job, removed, error }) => {
        const own = jobs.find((each) => each.id === id)
        return (
          <li key={id}>
            <Text fw={500}>{own ? bulkTexts.job(own.workflow_name, exactTime(own.created_at)) : id}</Text>
            {error ? (
              <Group gap={8}>
                <StateBadge state="FAILED" label={bulkTexts.failed} />
                <Text size="sm">
                  {[error.message, error.fix].flatMap((text) => (text ? [sentence(text)] : [])).join(' ')}
                </Text>
              </Group>
            ) : (
              <Group gap={8}>
                <StateBadge state="SUCCESS" label={bulkTexts[action].done(removed ?? 0)} />
                {job ? (
                  <TextLink
                    size="sm"
                    to="/w/$workspaceId/jobs/$jobId"
                    params={{ workspaceId, jobId: job.id }}
                  >
                    {bulkTexts.open}
                  </TextLink>
                ) : null}
              </Group>
            )}
          </li>
        )
      })}
    </ul>
  )
}

function failuresIn(results: Result[]): number {
  return results.filter(({ error }) => error !== null).length
}
