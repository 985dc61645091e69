import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { CopyButton } from '../../../components/copy-button.tsx'
import { type Column, DataTable } from '../../../components/data-table.tsx'
import { Panel } from '../../../components/panel.tsx'
import { StateBadge } from '../../../components/state-badge.tsx'
import { useAction } from '../../../service/action.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import { exactTime } from '../../../texts/times.ts'
import { FilterText } from '../filter-text.tsx'
import { useJobAddress } from '../job-address.ts'
import type { LiveJob } from '../live-job.ts'
import { type JobSearch, logLevels } from '../types.ts'
import { type LogLine, logLines } from './log-lines.ts'

const texts = jobTexts.log
const TAIL = 500
const POLL_MS = 3000
const badges = { info: 'unchanged', warning: 'warning', error: 'failed' } as const
const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hourCycle: 'h23' })

/** The latest lines, newest first, filtered by the service; the download has all. */
export function LogTab({ live: { job, mode } }: { live: LiveJob }) {
  const api = useApi()
  const { level = 'info', text } = useJobAddress().search
  const path = `/jobs/${job.id}/log`
  const read = (options: { tail?: number; signal?: AbortSignal } = {}) => {
    const { tail, ...more } = options
    return api.open(path, { query: { level, text, tail }, headers: { accept: 'text/plain' }, ...more })
  }
  const log = useQuery({
    queryKey: [...api.query(path).queryKey, 'tail', level, text, mode === 'ended'],
    queryFn: async ({ signal }) => logLines(await (await read({ signal, tail: TAIL })).text()),
    refetchInterval: mode === 'ended' ? false : POLL_MS,
    placeholderData: (before) => before,
  })
  const download = useAction(async () => saveFile(await (await read()).blob(), `run-${job.id}.log`))
  const lines = log.data ?? []
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      actions={
        <Group gap="xs">
          <CopyButton text={lines.map(({ raw }) => raw).join('\n')} what={texts.copy} labelled />
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            loading={download.isPending}
            onClick={() => download.mutate()}
          >
            {texts.download}
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Filters />
        {lines.filter(({ document }) => document).length >= TAIL ? (
          <Text size="sm" c="dimmed">
            {texts.cut(TAIL)}
          </Text>
        ) : null}
        <DataTable
          label={texts.label}
          columns={columns}
          rows={log.data && lines.toReversed()}
          query={log}
          rowId={({ key }) => key}
          empty={<Text c="dimmed">{text || level !== 'info' ? texts.noneMatch : texts.empty}</Text>}
        />
      </Stack>
    </Panel>
  )
}

const columns: Column<LogLine>[] = [
  {
    id: 'level',
    header: texts.level,
    card: 'state',
    width: 128,
    cell: ({ level }) => <StateBadge state={badges[level]} label={texts.levelNames[level]} />,
  },
  {
    id: 'at',
    header: texts.at,
    width: 128,
    cell: ({ at }) => (at ? <time title={exactTime(at, 'UTC')}>{clock.format(new Date(at))}</time> : null),
  },
  {
    id: 'text',
    header: texts.line,
    card: 'title',
    cell: ({ document, text }) => (
      <span style={{ overflowWrap: 'anywhere' }}>
        {document ? <strong>{document.title || document.recordId}: </strong> : null}
        {text}
      </span>
    ),
  },
]

function Filters() {
  const { search, go } = useJobAddress()
  const change = (changes: JobSearch) => go(changes, { replace: true })
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.title}>
      <Select
        label={texts.level}
        data={logLevels.map((value) => ({ value, label: texts.levels[value] }))}
        value={search.level ?? 'info'}
        allowDeselect={false}
        onChange={(value) => change({ level: logLevels.find((each) => each === value && each !== 'info') })}
        w={{ base: '100%', xs: 208 }}
      />
      <FilterText
        label={texts.search}
        placeholder={texts.searchExample}
        value={search.text}
        onChange={(text) => change({ text })}
      />
    </Group>
  )
}
