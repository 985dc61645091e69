import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { safeReturn } from './return-address.ts'

/** Opens the wanted address and drops all data of an earlier session. */
export function useContinue(): (address?: string) => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  return async (address) => {
    client.clear()
    router.history.push(safeReturn(address))
    await router.invalidate()
  }
}
