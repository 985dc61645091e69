import { Button, Group, Select, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconDownload, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { CopyButton } from '../../../components/copy-button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { QueryFailure } from '../../../components/query-failure.tsx'
import { useAction } from '../../../service/action.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { jobTexts } from '../../../texts/jobs.ts'
import type { LiveJob } from '../live-job.ts'
import { logLevels } from '../types.ts'
import { logLines } from './log-lines.ts'
import { LogView } from './log-view.tsx'

const texts = jobTexts.log
const PATH = '/w/$workspaceId/jobs/$jobId'
const TAIL = 500
const POLL_MS = 3000

/** The latest lines, filtered by the service; the download has all. */
export function LogTab({ live: { job, mode } }: { live: LiveJob }) {
  const api = useApi()
  const { level = 'info', text } = useSearch({ from: `/signed-in${PATH}` })
  const path = `/jobs/${job.id}/log`
  const read = async (signal?: AbortSignal, tail?: number) => {
    const query = new URLSearchParams({
      level,
      ...(text ? { text } : {}),
      ...(tail ? { tail: String(tail) } : {}),
    })
    return api.open(`${path}?${query}`, { headers: { accept: 'text/plain' }, ...(signal ? { signal } : {}) })
  }
  const log = useQuery({
    queryKey: [...api.query(path).queryKey, 'tail', level, text, mode === 'ended'],
    queryFn: async ({ signal }) => logLines(await (await read(signal, TAIL)).text()),
    refetchInterval: mode === 'ended' ? false : POLL_MS,
    placeholderData: (before) => before,
  })
  const download = useAction(async () => saveFile(await (await read()).blob(), `job-${job.id}.log`))
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
        <Filters jobId={job.id} />
        {log.isError ? (
          <QueryFailure query={log} />
        ) : !log.data ? (
          <Skeleton height={320} />
        ) : lines.length === 0 ? (
          <Text c="dimmed">{text || level !== 'info' ? texts.noneMatch : texts.empty}</Text>
        ) : (
          <>
            {lines.filter(({ document }) => document).length >= TAIL ? (
              <Text size="sm" c="dimmed">
                {texts.cut(TAIL)}
              </Text>
            ) : null}
            <LogView lines={lines} follows={mode !== 'ended'} />
          </>
        )}
      </Stack>
    </Panel>
  )
}

const DEBOUNCE_MS = 400

function Filters({ jobId }: { jobId: string }) {
  const { id: workspaceId } = useWorkspace()
  const search = useSearch({ from: `/signed-in${PATH}` })
  const navigate = useNavigate()
  const go = (changes: Partial<typeof search>) =>
    navigate({
      to: PATH,
      params: { workspaceId, jobId },
      search: { ...search, ...changes, tab: 'log' },
      replace: true,
      resetScroll: false,
    })
  const [text, setText] = useState(search.text ?? '')
  const goText = useDebouncedCallback((value: string) => go({ text: value.trim() || undefined }), DEBOUNCE_MS)
  return (
    <Group gap="sm" align="flex-end" role="search" aria-label={texts.title}>
      <Select
        label={texts.level}
        data={logLevels.map((value) => ({ value, label: texts.levels[value] }))}
        value={search.level ?? 'info'}
        allowDeselect={false}
        onChange={(value) => go({ level: logLevels.find((each) => each === value && each !== 'info') })}
        w={{ base: '100%', xs: 208 }}
      />
      <TextInput
        label={texts.search}
        placeholder={texts.searchExample}
        leftSection={<IconSearch size={16} />}
        value={text}
        autoComplete="off"
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          goText(value)
        }}
        w={{ base: '100%', xs: 256 }}
      />
    </Group>
  )
}
