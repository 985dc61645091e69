import { useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspace } from '../../service/session.ts'
import type { GuideAddress, GuideStepName } from './types.ts'

export type Guide = GuideAddress & {
  step: GuideStepName
  go: (changes: GuideAddress) => Promise<void>
}

/** The state of the guide, which is its address. */
export function useGuide(): Guide {
  const address = useSearch({ from: '/signed-in/w/$workspaceId/connect' })
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const step = address.step ?? 'source'
  return {
    ...address,
    step,
    go: (changes) =>
      navigate({
        to: '/w/$workspaceId/connect',
        params: { workspaceId },
        search: (now) => ({ ...now, ...changes }),
        // Back returns to the step before.
        replace: (changes.step ?? step) === step,
        resetScroll: false,
      }),
  }
}
