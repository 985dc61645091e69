import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { basePath } from '../../service/base-path.ts'
import { safeReturnAddress } from './return-address.ts'

/** Opens an address and clears all data of an earlier session. */
export function useContinue(): (address?: string) => Promise<void> {
  const client = useQueryClient()
  const router = useRouter()
  return async (address) => {
    client.clear()
    router.history.push(basePath + safeReturnAddress(address))
    await router.invalidate()
  }
}
