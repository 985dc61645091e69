import { useNavigate, useSearch } from '@tanstack/react-router'
import { useWorkspace } from '../../service/session.ts'
import { forgetGuide, storeGuide } from './stored-guide.ts'
import type { GuideAddress, GuideStepName } from './types.ts'

export type Guide = GuideAddress & {
  step: GuideStepName
  go: (changes: GuideAddress) => Promise<void>
  /** Starts a new one. */
  restart: () => Promise<void>
}

/** The state of the guide, which is its address. */
export function useGuide(): Guide {
  const address = useSearch({ from: '/signed-in/w/$workspaceId/connect' })
  const { id: workspaceId } = useWorkspace()
  const navigate = useNavigate()
  const step = address.step ?? 'source'
  const open = (search: GuideAddress, replace: boolean) =>
    navigate({ to: '/w/$workspaceId/connect', params: { workspaceId }, search, replace, resetScroll: false })
  return {
    ...address,
    step,
    go: async (changes) => {
      const next = { ...address, step, ...changes }
      storeGuide(workspaceId, next)
      // Back returns to the step before.
      await open(next, next.step === step)
    },
    restart: async () => {
      forgetGuide(workspaceId)
      await open({ step: 'source' }, false)
    },
  }
}
