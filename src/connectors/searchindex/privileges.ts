import type { SearchClient } from './client.ts'

/** Which of these privileges the credentials hold, by index. Only Elasticsearch can say. */
export async function heldPrivileges(
  client: SearchClient,
  { names, privileges }: { names: string[]; privileges: string[] },
  signal: AbortSignal,
): Promise<Record<string, Record<string, boolean>>> {
  const body = { index: [{ names, privileges }] }
  const request = { method: 'POST', path: '/_security/user/_has_privileges', body } as const
  const { index = {} } = await client.once<{ index?: Record<string, Record<string, boolean>> }>(
    'asking for privileges on',
    request,
    signal,
  )
  return index
}
