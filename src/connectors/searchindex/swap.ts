import { AppError } from '../../errors.ts'
import type { Destination, Generation } from '../connector.ts'
import type { SearchClient } from './client.ts'
import { pathOf } from './locate.ts'
import type { Mapping } from './schema.ts'
import { type NoAnswer, Refusal } from './transport.ts'

type Index = {
  aliases?: Record<string, { is_write_index?: boolean }>
  mappings?: Mapping
  settings?: { index?: Record<string, unknown> }
}

/** What a cluster says of itself in an index, and would not take back. */
const ITS_OWN = ['uuid', 'creation_date', 'provided_name', 'version', 'resize', 'routing', 'blocks']

/** A destination that knows nothing of swaps. */
export type InPlace = Omit<Destination, 'stage' | 'promote' | 'discard' | 'generations'>

/** Until something is staged, everything happens in the index that the name stands for; from then on in the new one. */
export function swappable(
  first: InPlace,
  { client, openAt }: { client: SearchClient; openAt(index: string): InPlace },
): Destination {
  let staged: InPlace | null = null
  const current = () => staged ?? first
  return {
    ...first,
    write: (items, fence, signal) => current().write(items, fence, signal),
    updateAccess: (items, fence, signal) => current().updateAccess(items, fence, signal),
    remove: (elements, fence, signal) => current().remove(elements, fence, signal),
    held: (elements, signal) => current().held(elements, signal),
    inventory: (signal) => current().inventory(signal),
    async stage(suffix, shape, signal) {
      staged = openAt(await createStaged(client, suffix, signal))
      return staged.prepare(shape, signal)
    },
    promote: (suffix, signal) => moveAlias(client, suffix, signal),
    discard: (suffix, signal) => dropStaged(client, suffix, signal),
    generations: (signal) => listGenerations(client, signal),
    async close() {
      await staged?.close()
      await first.close()
    },
  }
}

/** The name of an index that a run fills behind the alias. */
function stagedName({ place }: SearchClient, suffix: string): string {
  return `${place.index}-${suffix}`
}

/**
 * Makes the staged index like the one that is there: the same settings and fields, as its owner made them, but for
 * the vectors, which may have another width now.
 */
async function createStaged(client: SearchClient, suffix: string, signal: AbortSignal): Promise<string> {
  const name = stagedName(client, suffix)
  const { index } = await behindAlias(client, signal)
  const { embeddings: _, ...properties } = index.mappings?.properties ?? {}
  const settings = Object.fromEntries(
    Object.entries(index.settings?.index ?? {}).filter(([key]) => !ITS_OWN.includes(key)),
  )
  await client.call(
    'making a new index beside',
    {
      method: 'PUT',
      path: pathOf(name),
      body: { settings: { index: settings }, mappings: { ...index.mappings, properties } },
      settles: (failure) => (isAlreadyThere(failure) ? {} : undefined),
    },
    signal,
  )
  return name
}

/** One request: at no moment does the alias stand for both or for neither. */
async function moveAlias(
  client: SearchClient,
  suffix: string,
  signal: AbortSignal,
): Promise<{ replaced: string | null }> {
  const name = stagedName(client, suffix)
  const alias = client.place.index
  const { concrete } = await behindAlias(client, signal)
  if (concrete === name) return { replaced: null }
  const actions = [
    { remove: { index: concrete, alias } },
    { add: { index: name, alias, is_write_index: true } },
  ]
  await client.call('moving the alias', { method: 'POST', path: '/_aliases', body: { actions } }, signal)
  return { replaced: concrete }
}

async function dropStaged(client: SearchClient, suffix: string, signal: AbortSignal): Promise<void> {
  const name = stagedName(client, suffix)
  const { concrete } = await behindAlias(client, signal)
  if (concrete === name) return
  const request = { method: 'DELETE', path: pathOf(name), query: { ignore_unavailable: 'true' } } as const
  await client.call('removing an index beside', request, signal)
}

async function listGenerations(client: SearchClient, signal: AbortSignal): Promise<Generation[]> {
  const { concrete } = await behindAlias(client, signal)
  const found = await client.call<Record<string, Index>>(
    'reading',
    { method: 'GET', path: pathOf(stagedName(client, '*')), query: { expand_wildcards: 'open' } },
    signal,
  )
  const names = [...new Set([concrete, ...Object.keys(found)])].sort()
  const generations: Generation[] = []
  for (const name of names) {
    const { count } = await client.call<{ count: number }>(
      'counting',
      { method: 'GET', path: `${pathOf(name)}/_count` },
      signal,
    )
    generations.push({ name, isCurrent: name === concrete, elements: count })
  }
  return generations
}

async function behindAlias(
  client: SearchClient,
  signal: AbortSignal,
): Promise<{ concrete: string; index: Index }> {
  const { place } = client
  const answer = await client.call<Record<string, Index>>(
    'reading',
    { method: 'GET', path: pathOf(place.index) },
    signal,
  )
  const [found, ...others] = Object.entries(answer)
  if (found && others.length === 0 && found[0] !== place.index) return { concrete: found[0], index: found[1] }
  const what = others.length > 0 ? `stands for ${others.length + 1} indexes` : 'is an index itself'
  throw new AppError(
    'destination_schema',
    `${place.index} at ${place.hosts} ${what}, and a swap moves an alias of one index`,
    { fix: 'Give the destination the name of an alias of one index' },
  )
}

function isAlreadyThere(failure: Refusal | NoAnswer): boolean {
  const { error } = (failure instanceof Refusal ? failure.body : {}) as { error?: { type?: string } }
  return error?.type === 'resource_already_exists_exception'
}
