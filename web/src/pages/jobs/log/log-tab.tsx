import { Button, Skeleton, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useAction } from '../../../service/action.ts'
import { save } from '../../../service/save.ts'
import { useApi } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { LiveJob } from '../live-job.ts'
import { TAIL_LINES } from './job-log.ts'
import { useLogDigest } from './log-digest.ts'
import classes from './log-tab.module.css'

const texts = jobTexts.log

export function LogTab({ live }: { live: LiveJob }) {
  const api = useApi()
  const { job } = live
  const digest = useLogDigest(live)
  const download = useAction(async () => {
    const response = await api.open(`/jobs/${job.id}/log`, { headers: { accept: 'text/plain' } })
    save(await response.blob(), `job-${job.id}.log`)
  })
  const lines = digest.data?.tail.slice(-TAIL_LINES) ?? []
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={download.isPending}
          onClick={() => download.mutate()}
        >
          {texts.download}
        </Button>
      }
    >
      {digest.isError ? (
        <QueryFailure query={digest} />
      ) : !digest.data ? (
        <Skeleton height={320} />
      ) : lines.length === 0 ? (
        <Text c="dimmed">{texts.empty}</Text>
      ) : (
        <>
          {digest.data.lines > lines.length ? (
            <Text size="sm" c="dimmed" mb="xs">
              {texts.cut(lines.length)}
            </Text>
          ) : null}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolls by keyboard. */}
          <section className={classes.frame} aria-label={texts.label} tabIndex={0}>
            <pre className={classes.log}>{lines.join('\n')}</pre>
          </section>
        </>
      )}
    </Panel>
  )
}
