import { Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconDownload, IconRefresh, IconUpload } from '@tabler/icons-react'
import { useState } from 'react'
import { FormErrors } from '../../../components/form-errors.tsx'
import { useAction } from '../../../service/action.ts'
import { call } from '../../../service/api.ts'
import { ApiError } from '../../../service/errors.ts'
import { saveFile } from '../../../service/save-file.ts'
import { useApi, useWorkspace } from '../../../service/session.ts'
import { identityTexts } from '../../../texts/identity.ts'
import type { Filled, Imported } from './types.ts'

const texts = identityTexts.table

/** Import, export, and reading from the source. */
export function ImportActions({ sourceId }: { sourceId: string }) {
  const api = useApi()
  const workspace = useWorkspace().id
  const [failure, setFailure] = useState<string>()
  const query = { source_id: sourceId }
  const importFile = useAction(
    (file: File) => {
      setFailure(undefined)
      const headers = { 'content-type': 'text/csv' }
      return call<Imported>('PUT', '/identities', { workspace, query, headers, body: file })
    },
    { refreshes: ['/identities'], notice: ({ imported }) => texts.imported(imported), showsError: false },
  )
  const exportFile = useAction(async () => {
    const response = await api.open('/identities.csv', { query })
    saveFile(await response.blob(), 'identities.csv')
  })
  const fill = useAction(() => api.post<Filled>('/identities/fill', query), {
    refreshes: ['/identities'],
    notice: ({ accounts, emails }) => texts.filled(accounts, emails),
  })
  const open = (file: File | null) => {
    if (file) importFile.mutate(file, { onError: (error) => setFailure(linesOf(error)) })
  }
  return (
    <Stack gap="xs">
      <FormErrors failure={failure} />
      <Group gap="xs">
        <FileButton accept=".csv,text/csv" onChange={open}>
          {(props) => (
            <Button
              {...props}
              variant="default"
              leftSection={<IconUpload size={16} />}
              loading={importFile.isPending}
            >
              {texts.import}
            </Button>
          )}
        </FileButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} />}
          loading={exportFile.isPending}
          onClick={() => exportFile.mutate()}
        >
          {texts.export}
        </Button>
        <Button
          variant="default"
          leftSection={<IconRefresh size={16} />}
          loading={fill.isPending}
          onClick={() => fill.mutate()}
        >
          {texts.fill}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {texts.importHelp}
      </Text>
    </Stack>
  )
}

/** Errors of a table name their lines. */
function linesOf(error: Error): string {
  const lines = error instanceof ApiError ? Object.values(error.fields) : []
  return lines.length > 0 ? lines.join('; ') : error.message
}
