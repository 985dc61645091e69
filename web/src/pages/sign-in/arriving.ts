import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { safeReturn } from './return-address.ts'

/** On to where somebody wanted to go, as whoever they are now: nothing of a former session stays. */
export function useArrive(): (address?: string) => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  return async (address) => {
    client.clear()
    router.history.push(safeReturn(address))
    await router.invalidate()
  }
}
