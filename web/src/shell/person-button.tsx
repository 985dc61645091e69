import { lazy, Suspense, startTransition, useState } from 'react'
import type { Session } from '../service/types.ts'
import { PersonName } from './person-name.tsx'

const PersonMenu = lazy(async () => ({ default: (await import('./person-menu.tsx')).PersonMenu }))

/** The menu loads on first use, because the first screen works without it. */
export function PersonButton({ session }: { session: Session }) {
  const [wanted, setWanted] = useState<'no' | 'soon' | 'opened'>('no')
  // A transition keeps this button until the menu has loaded.
  const want = (next: 'soon' | 'opened') =>
    startTransition(() => setWanted((now) => (now === 'opened' ? now : next)))
  return (
    <Suspense>
      {wanted === 'no' ? (
        <PersonName
          session={session}
          onPointerEnter={() => want('soon')}
          onFocus={() => want('soon')}
          onClick={() => want('opened')}
        />
      ) : (
        <PersonMenu session={session} opened={wanted === 'opened'} />
      )}
    </Suspense>
  )
}
