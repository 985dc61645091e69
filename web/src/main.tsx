import '@fontsource-variable/inter/wght.css'
import './page.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { NoticeProvider } from './components/notices.tsx'
import { router } from './router.ts'
import { queryClient } from './service/query-client.ts'
import { embeddedSession, sessionQuery } from './service/session.ts'
import { styleNonce } from './shell/style-nonce.ts'
import { theme, variables } from './theme.ts'

// A younger page is from the current build; a reload would not help.
const MIN_PAGE_AGE_MS = 10_000

// The build generates its own styles (web/mantine-css.ts).
if (import.meta.env.DEV) await import('@mantine/core/styles.layer.css')

// A new service version has other files: reloads an older page once.
window.addEventListener('vite:preloadError', (event) => {
  if (performance.now() < MIN_PAGE_AGE_MS) return
  event.preventDefault()
  window.location.reload()
})

const session = embeddedSession()
if (session) queryClient.setQueryData(sessionQuery.queryKey, session)

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element #root')

createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queryClient}>
        <NoticeProvider>
          <RouterProvider router={router} />
        </NoticeProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
