import { AppError } from '../../../errors.ts'
import type { Warning } from '../../connector.ts'
import type { Space, WikiClient } from '../client.ts'
import type { WikiConfig } from '../config.ts'
import { byId } from '../ids.ts'

export type Selection = { spaces: Space[]; warnings: Warning[] }

/** The selected spaces by id, and warnings about those left out. */
export async function selectSpaces(
  client: WikiClient,
  config: WikiConfig,
  signal: AbortSignal,
): Promise<Selection> {
  const selected =
    config.spaces.length > 0 ? await findByKey(client, config.spaces, signal) : await current(client, signal)
  const sorted = [...new Map(selected.map((space) => [space.id, space])).values()].sort(byId)
  const max = config.max_num_of_spaces
  const left = sorted.slice(max)
  return { spaces: sorted.slice(0, max), warnings: left.length > 0 ? [cut(sorted.length, max, left)] : [] }
}

async function current(client: WikiClient, signal: AbortSignal): Promise<Space[]> {
  return (await gather(client.spaces(null, signal))).filter((space) => !space.archived)
}

/** Keys in one URL. */
const KEYS_PER_REQUEST = 100

async function findByKey(client: WikiClient, keys: string[], signal: AbortSignal): Promise<Space[]> {
  // The filter ignores aliases and, on some sites, personal spaces (`~`); those need the full list.
  const plain = keys.filter((key) => /^[A-Za-z0-9]+$/.test(key))
  const found: Space[] = []
  for (let i = 0; i < plain.length; i += KEYS_PER_REQUEST) {
    found.push(...(await gather(client.spaces(plain.slice(i, i + KEYS_PER_REQUEST), signal))))
  }
  if (keys.every((key) => pick(found, key))) return keys.map((key) => pick(found, key)!)
  const all = await gather(client.spaces(null, signal))
  return keys.map((key) => pick(found, key) ?? pick(all, key) ?? missing(key, all, client.site.name))
}

function pick(spaces: Space[], key: string): Space | undefined {
  const lower = key.toLowerCase()
  return (
    spaces.find((space) => space.key === key) ??
    spaces.find((space) => space.alias === key) ??
    spaces.find((space) => space.key.toLowerCase() === lower)
  )
}

function missing(key: string, all: Space[], site: string): never {
  const namesake = all.find((space) => space.name.toLowerCase() === key.toLowerCase())
  const fix = namesake
    ? `"${key}" is the name of a space; use its key ${namesake.key} in spaces`
    : 'Copy the key from the address of the space, after /spaces/; the account must be able to see the space'
  throw new AppError(
    'source_space_missing',
    `listing the spaces: ${site} has no space with the key "${key}"`,
    { fix },
  )
}

function cut(total: number, max: number, left: Space[]): Warning {
  const shown = left.slice(0, 10).map((space) => `${space.key} (${space.name})`)
  const more = left.length > shown.length ? ` and ${left.length - shown.length} more` : ''
  return {
    code: 'spaces_left_out',
    message:
      `${left.length} of ${total} spaces are left out, because max_num_of_spaces is ${max}: ` +
      `${shown.join(', ')}${more}`,
  }
}

async function gather(pages: AsyncIterable<Space[]>): Promise<Space[]> {
  const all: Space[] = []
  for await (const page of pages) all.push(...page)
  return all
}
