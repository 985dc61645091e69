import { Button, Notification, Stack, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { withLabels } from '../schema-form/labels.ts'
import { ApiError } from '../service/errors.ts'
import { focusHeading } from '../shell/heading-focus.ts'
import { shellTexts } from '../texts/shell.ts'

type Notice = { id: number; kind: 'success' | 'error'; text: string; undo?: (() => void) | undefined }
type Notices = {
  /** Success; disappears by itself. With `undo` later, and with a button. */
  success(text: string, undo?: () => void): void
  /** Failure; stays until closed. */
  error(error: unknown): void
  /** For screen readers only; call it about once a second at most. */
  announce(text: string): void
  /** Closes successes that cannot be undone. */
  withdraw(): void
}

const NoticeContext = createContext<Notices>({ success() {}, error() {}, announce() {}, withdraw() {} })

export function useNotices(): Notices {
  return use(NoticeContext)
}

/** A success never stays next to a failure. */
export function useFailureShown(isShown: boolean): void {
  const { withdraw } = useNotices()
  useEffect(() => {
    if (isShown) withdraw()
  }, [isShown, withdraw])
}

// Long enough to read two lines.
const NOTICE_MS = 6000
// The service restores for 30 seconds.
const UNDO_MS = 28_000
const ANNOUNCEMENT_MS = 3000

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Notice[]>([])
  const [announcement, setAnnouncement] = useState('')
  const count = useRef(0)
  const close = useCallback((id: number) => setShown((all) => all.filter((each) => each.id !== id)), [])

  const notices = useMemo<Notices>(() => {
    let clearTimer: ReturnType<typeof setTimeout> | undefined
    // Cleared after a while: screen readers ignore an equal text.
    const announce = (text: string) => {
      clearTimeout(clearTimer)
      setAnnouncement(text)
      clearTimer = setTimeout(() => setAnnouncement(''), ANNOUNCEMENT_MS)
    }
    const add = (kind: Notice['kind'], text: string, undo?: () => void) => {
      const id = ++count.current
      setShown((all) => [...all.slice(-2), { id, kind, text, undo }])
      announce(text)
      if (kind === 'success') setTimeout(() => close(id), undo ? UNDO_MS : NOTICE_MS)
    }
    const withdraw = () => setShown((all) => all.filter(({ kind, undo }) => kind === 'error' || undo))
    return {
      success: (text, undo) => add('success', text, undo),
      error: (error) => {
        withdraw()
        add('error', errorText(error))
      },
      announce,
      withdraw,
    }
  }, [close])

  return (
    <NoticeContext value={notices}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {announcement}
      </VisuallyHidden>
      <Stack
        component="section"
        aria-label={shellTexts.notices}
        hidden={shown.length === 0}
        gap="xs"
        pos="fixed"
        bottom={16}
        right={16}
        maw="min(420px, calc(100vw - 32px))"
        style={{ zIndex: 400 }}
      >
        {shown.map(({ id, kind, text, undo }) => (
          <Notification
            key={id}
            role="presentation"
            withBorder
            color={kind === 'success' ? 'var(--mr-good)' : 'var(--mr-bad)'}
            icon={kind === 'success' ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
            closeButtonProps={{ 'aria-label': shellTexts.closeNotice }}
            onClose={() => close(id)}
          >
            {text}
            {undo ? (
              <Button
                variant="default"
                size="compact-sm"
                ml="sm"
                onClick={() => {
                  close(id)
                  focusHeading()
                  undo()
                }}
              >
                {shellTexts.undo}
              </Button>
            ) : null}
          </Notification>
        ))}
      </Stack>
    </NoticeContext>
  )
}

export function errorText(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const fields = Object.entries(error.fields)
  const line =
    fields.length > 0 ? fields.map(([path, text]) => withLabels(text, path)).join(' ') : error.message
  return error.requestId ? `${line} (${error.requestId})` : line
}
