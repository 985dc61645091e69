import type { WikiClient } from '../client.ts'

/** The spaces to choose from, by name; personal spaces come last. */
export async function currentSpaces(
  client: WikiClient,
  signal: AbortSignal,
): Promise<{ key: string; name: string }[]> {
  const found = new Map<string, string>()
  for await (const spaces of client.spaces(null, signal)) {
    for (const { key, name, archived } of spaces) if (!archived) found.set(key, name)
  }
  const choices = [...found].map(([key, name]) => ({ key, name }))
  const isPersonal = ({ key }: { key: string }) => key.startsWith('~')
  const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name, 'en')
  return choices.sort((a, b) => Number(isPersonal(a)) - Number(isPersonal(b)) || byName(a, b))
}
