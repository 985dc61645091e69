import { Notification, Stack, VisuallyHidden } from '@mantine/core'
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react'
import { createContext, type ReactNode, use, useCallback, useMemo, useRef, useState } from 'react'
import { ApiError } from '../service/errors.ts'
import { shellTexts } from '../texts/shell.ts'

type Notice = { id: number; kind: 'good' | 'bad'; text: string }
type Notices = {
  /** Success; disappears by itself. */
  good(text: string): void
  /** Failure; stays until closed. */
  bad(error: unknown): void
  /** For screen readers only; call it about once a second at most. */
  announce(text: string): void
}

const NoticeContext = createContext<Notices>({ good() {}, bad() {}, announce() {} })

export function useNotices(): Notices {
  return use(NoticeContext)
}

// Long enough to read two lines.
const SHOWN_MS = 6000
const SPOKEN_MS = 3000

export function NoticeProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<Notice[]>([])
  const [spoken, setSpoken] = useState('')
  const count = useRef(0)
  const close = useCallback((id: number) => setShown((all) => all.filter((each) => each.id !== id)), [])

  const notices = useMemo<Notices>(() => {
    let clearing: ReturnType<typeof setTimeout> | undefined
    // Cleared first: equal texts are read out only once.
    const announce = (text: string) => {
      clearTimeout(clearing)
      setSpoken(text)
      clearing = setTimeout(() => setSpoken(''), SPOKEN_MS)
    }
    const add = (kind: Notice['kind'], text: string) => {
      const id = ++count.current
      setShown((all) => [...all.slice(-2), { id, kind, text }])
      announce(text)
      if (kind === 'good') setTimeout(() => close(id), SHOWN_MS)
    }
    return {
      good: (text) => add('good', text),
      bad: (error) => add('bad', lineOf(error)),
      announce,
    }
  }, [close])

  return (
    <NoticeContext value={notices}>
      {children}
      <VisuallyHidden role="status" aria-live="polite">
        {spoken}
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
        {shown.map(({ id, kind, text }) => (
          <Notification
            key={id}
            role="presentation"
            withBorder
            color={kind === 'good' ? 'var(--mr-good)' : 'var(--mr-bad)'}
            icon={kind === 'good' ? <IconCheck size={18} /> : <IconAlertTriangle size={18} />}
            closeButtonProps={{ 'aria-label': shellTexts.closeNotice }}
            onClose={() => close(id)}
          >
            {text}
          </Notification>
        ))}
      </Stack>
    </NoticeContext>
  )
}

export function lineOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error)
  const fields = Object.values(error.fields)
  const line = fields.length > 0 ? fields.join(' ') : error.message
  return error.requestId ? `${line} (${error.requestId})` : line
}
