import { Button, FileButton, Skeleton, Stack, Text } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { type DragEvent, Suspense, useState } from 'react'
import { FormErrors } from '../../components/form-errors.tsx'
import { errorText } from '../../components/notices.tsx'
import { Panel } from '../../components/panel.tsx'
import { useAction } from '../../service/action.ts'
import { useApi, useWorkspace } from '../../service/session.ts'
import { may } from '../../service/types.ts'
import { homeTexts } from '../../texts/home.ts'
import classes from './home.module.css'
import type { FileElements } from './types.ts'

const texts = homeTexts.file
const MAX_BYTES = 10 * 1024 * 1024

const FileResult = lazyRouteComponent(() => import('./file-result.tsx'), 'FileResult')

/** Drop or choose a file to see its elements. */
export function FileCard() {
  const api = useApi()
  const { role } = useWorkspace()
  const [isDragOver, setDragOver] = useState(false)
  const read = useAction(
    async (file: File) => {
      if (file.size > MAX_BYTES) throw new Error(texts.tooLarge)
      const query = { filename: file.name.slice(-255) }
      return { name: file.name, result: await api.post<FileElements>('/elements', file, { query }) }
    },
    { showsError: false },
  )
  if (!may(role, 'developer')) return null

  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDragOver(false)
    const [file] = event.dataTransfer.files
    if (file) read.mutate(file)
  }
  return (
    <Stack gap="lg">
      <Panel title={texts.title} description={texts.text}>
        <FormErrors failure={read.isError ? errorText(read.error) : undefined} />
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside works by key. */}
        <div
          className={classes.drop}
          data-over={isDragOver || undefined}
          onDragOver={(event) => {
            event.preventDefault()
            setDragOver(true)
          }}
          onDragLeave={() => setDragOver(false)}
          onDrop={drop}
        >
          <Text size="sm">{texts.drop}</Text>
          <FileButton onChange={(file) => file && read.mutate(file)}>
            {(props) => (
              <Button {...props} variant="default" loading={read.isPending}>
                {texts.choose}
              </Button>
            )}
          </FileButton>
          <Text size="sm" c="dimmed" aria-live="polite">
            {read.isPending ? texts.working(read.variables.name) : texts.limit}
          </Text>
        </div>
      </Panel>
      {read.data ? (
        <Suspense fallback={<Skeleton height={160} />}>
          <FileResult {...read.data} onClose={read.reset} />
        </Suspense>
      ) : null}
    </Stack>
  )
}
