import { AppError } from '../../../errors.ts'
import type { Warning } from '../../../report.ts'
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
    config.spaces.length > 0
      ? await findByKey(client, config.spaces, signal)
      : await listCurrent(client, signal)
  const sorted = [...new Map(selected.map((space) => [space.id, space])).values()].sort(byId)
  const max = config.max_num_of_spaces
  const leftOut = sorted.slice(max)
  return {
    spaces: sorted.slice(0, max),
    warnings: leftOut.length > 0 ? [leftOutWarning(sorted.length, max, leftOut)] : [],
  }
}

async function listCurrent(client: WikiClient, signal: AbortSignal): Promise<Space[]> {
  return (await collect(client.spaces(null, signal))).filter((space) => !space.archived)
}

/** Keys in one URL. */
const KEYS_PER_REQUEST = 100

async function findByKey(client: WikiClient, keys: string[], signal: AbortSignal): Promise<Space[]> {
  // The filter ignores aliases and, on some sites, personal spaces (`~`); those need the full list.
  const plain = keys.filter((key) => /^[A-Za-z0-9]+$/.test(key))
  const found: Space[] = []
  for (let i = 0; i < plain.length; i += KEYS_PER_REQUEST) {
    found.push(...(await collect(client.spaces(plain.slice(i, i + KEYS_PER_REQUEST), signal))))
  }
  if (keys.every((key) => spaceByKey(found, key))) return keys.map((key) => spaceByKey(found, key)!)
  const all = await collect(client.spaces(null, signal))
  return keys.map(
    (key) => spaceByKey(found, key) ?? spaceByKey(all, key) ?? throwMissing(key, all, client.site.name),
  )
}

function spaceByKey(spaces: Space[], key: string): Space | undefined {
  const lower = key.toLowerCase()
  return (
    spaces.find((space) => space.key === key) ??
    spaces.find((space) => space.alias === key) ??
    spaces.find((space) => space.key.toLowerCase() === lower)
  )
}

function throwMissing(key: string, all: Space[], site: string): never {
  const sameName = all.find((space) => space.name.toLowerCase() === key.toLowerCase())
  const fix = sameName
    ? `"${key}" is the name of a space; use its key ${sameName.key} in spaces`
    : 'Copy the key from the address of the space, after /spaces/; the account must be able to see the space'
  throw new AppError(
    'source_space_missing',
    `listing the spaces: ${site} has no space with the key "${key}"`,
    { fix },
  )
}

function leftOutWarning(total: number, max: number, leftOut: Space[]): Warning {
  const shown = leftOut.slice(0, 10).map((space) => `${space.key} (${space.name})`)
  const more = leftOut.length > shown.length ? ` and ${leftOut.length - shown.length} more` : ''
  return {
    code: 'spaces_left_out',
    message:
      `${leftOut.length} of ${total} spaces are left out, because max_num_of_spaces is ${max}: ` +
      `${shown.join(', ')}${more}`,
    limit: {
      kind: 'scopes',
      setting: 'max_num_of_spaces',
      scope: null,
      left_out: leftOut.length,
      noun: 'space',
    },
  }
}

async function collect(pages: AsyncIterable<Space[]>): Promise<Space[]> {
  const all: Space[] = []
  for await (const page of pages) all.push(...page)
  return all
}
