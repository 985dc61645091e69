import { lazy, Suspense, useSyncExternalStore } from 'react'
import { isSessionEnded, onSessionChange } from '../service/ended-session.ts'

const SignInDialog = lazy(async () => ({ default: (await import('./sign-in-dialog.tsx')).SignInDialog }))

/** Asks for the password above the screen, so that nothing typed is lost. */
export function SignInAgain() {
  const isEnded = useSyncExternalStore(onSessionChange, isSessionEnded)
  if (!isEnded) return null
  return (
    <Suspense>
      <SignInDialog />
    </Suspense>
  )
}
