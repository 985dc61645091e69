import assert from 'node:assert/strict'
import type { Egress } from '../../src/connectors/egress/egress.ts'
import type { Accepts, ListingPage, ListingStart, ReadOutcome, Source } from '../../src/connectors/source.ts'
import type { DecisionStore } from '../../src/connectors/type.ts'
import { wikiSchema } from '../../src/connectors/wiki/config.ts'
import { openWiki, type WikiSource } from '../../src/connectors/wiki/source.ts'
import type { DocumentRef, SourceDocument } from '../../src/document.ts'
import type { AppError } from '../../src/errors.ts'
import { type AccountName, accounts } from './wiki/accounts.ts'
import type { SpacePermission } from './wiki/model/model.ts'
import type { Wiki } from './wiki/start.ts'

/** The wiki source on either deployment of the simulated wiki. */
export type Deployment = {
  name: string
  site: 'cloud' | 'dataCenter'
  /** The path prefix of the wiki; bodies are written with `/wiki`. */
  context: string
  home(wiki: Wiki): string
  /** The prefix of a page's number in its record id. */
  recordsOf(wiki: Wiki): string
  /** The id of a person on this deployment. */
  idOf(person: { accountId: string; userKey: string }): string
  signIn(wiki: Wiki, account: AccountName): { url: string; username?: string; token: string; cloud?: boolean }
}

export const cloud: Deployment = {
  name: 'Cloud',
  site: 'cloud',
  context: '/wiki',
  home: ({ cloudUrl }) => cloudUrl,
  recordsOf: ({ siteUrl }) => new URL(siteUrl).host,
  idOf: ({ accountId }) => accountId,
  signIn: ({ siteUrl }, account) => {
    const { email, apiToken } = accounts[account]
    return { url: siteUrl, username: email, token: apiToken, cloud: true }
  },
}

export const dataCenter: Deployment = {
  name: 'Data Center',
  site: 'dataCenter',
  context: '/confluence',
  home: ({ dataCenterUrl }) => dataCenterUrl,
  recordsOf: ({ dataCenterUrl }) => dataCenterUrl.replace(/^https?:\/\//, ''),
  idOf: ({ userKey }) => userKey,
  signIn: ({ dataCenterUrl }, account) => ({ url: dataCenterUrl, token: accounts[account].pat }),
}

export const deployments = [cloud, dataCenter]

type Opened = {
  wiki: Wiki
  deployment: Deployment
  egress: Egress
  batchSize?: number
  decisions?: DecisionStore
}

export function openSource(
  { wiki, deployment, egress, batchSize, decisions }: Opened,
  more: object = {},
  account: AccountName = 'crawler',
): WikiSource {
  const signIn = deployment.signIn(wiki, account)
  const settings = { ...signIn, max_num_of_docs_from_each_space: 10_000, ...more }
  const gatewayOrigin = new URL(wiki.gatewayUrl).origin
  const options = { firstWaitMs: 5, timeoutMs: 5_000, gatewayOrigin, ...(batchSize ? { batchSize } : {}) }
  return openWiki(
    wikiSchema.parse(settings),
    { egress, log: silent, ...(decisions ? { decisions } : {}) },
    options,
  )
}

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

export async function listAll(source: Source, from?: ListingStart) {
  const pages: ListingPage[] = await Array.fromAsync(source.list(signal, from))
  return {
    refs: pages.flatMap((page) => (page.kind === 'refs' ? page.refs : [])),
    warnings: pages.flatMap((page) => (page.kind === 'warning' ? [page.warning] : [])),
    ends: pages.flatMap((page) => (page.kind === 'end' ? [page] : [])),
    complete: pages.at(-1)?.kind === 'complete',
  }
}

/** The ref of a page; its files have separate refs. */
export function pageOf(refs: DocumentRef[], id: string): DocumentRef {
  const found = refs.find(({ locator }) => locator.page_id === id && locator.attachment_id === undefined)
  assert.ok(found, `page ${id} is not listed`)
  return found
}

export function fileOf(refs: DocumentRef[], id: string): DocumentRef {
  const found = refs.find(({ locator }) => locator.attachment_id === id)
  assert.ok(found, `file ${id} is not listed`)
  return found
}

export async function readOutcomes(
  source: Source,
  refs: DocumentRef[],
  accepts: Accepts = () => true,
): Promise<ReadOutcome[]> {
  return Array.fromAsync(source.read(refs, accepts, signal))
}

/** The result of each, by page id. */
export async function readAll(source: Source, refs: DocumentRef[]) {
  const documents = new Map<string, string>()
  const errors = new Map<string, AppError>()
  for (const outcome of await readOutcomes(source, refs)) {
    if ('document' in outcome) documents.set(outcome.ref.locator.page_id!, String(outcome.document.body))
    else if ('error' in outcome) errors.set(outcome.ref.locator.page_id!, outcome.error)
  }
  return { documents, errors }
}

export async function readDocument(source: Source, ref: DocumentRef): Promise<SourceDocument> {
  const [outcome] = await readOutcomes(source, [ref])
  assert.ok(outcome && 'document' in outcome, outcome && 'error' in outcome ? outcome.error.message : 'none')
  return outcome.document
}

export async function readError(source: Source, ref: DocumentRef, accepts?: Accepts): Promise<AppError> {
  const [outcome] = await readOutcomes(source, [ref], accepts)
  assert.ok(outcome && 'error' in outcome, 'it was read')
  return outcome.error
}

/** The scope of each; null if gone, `unknown` if undecided. */
export async function locationsOf(
  source: WikiSource,
  refs: DocumentRef[],
): Promise<(string | null | undefined)[]> {
  const places = await source.locate(refs, signal)
  return refs.map(({ recordId }) => {
    const place = places.get(recordId)
    return typeof place === 'object' && place ? place.scope : place
  })
}

/** The version without the content fingerprint. */
export function ownVersion(version: string): string | undefined {
  return version.split('+', 1)[0]
}

/** Waits for these responses; an aborted one is counted later. */
export async function bytesSent({ control }: Wiki, url: RegExp): Promise<number> {
  for (let tries = 0; tries < 200; tries++) {
    const sent = (await control.requests()).filter((each) => url.test(each.url))
    if (sent.length > 0) return sent.reduce((sum, { bytes }) => sum + bytes, 0)
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`nothing was sent for ${url}`)
}

/** A space for one test, with these readers. */
export async function addSpace(
  { control }: Wiki,
  key: string,
  readers: SpacePermission['principal'][] = [everyone],
): Promise<string> {
  const permissions = readers.map((principal) => ({
    principal,
    operation: { key: 'read', targetType: 'space' },
  }))
  await control.addSpace({ key, name: `Space ${key}`, permissions })
  return key
}

/** A generated space that is neither archived nor personal. */
export async function anySpace({ control }: Wiki): Promise<string> {
  const { spaces } = await control.truth()
  return spaces.find((space) => space.type === 'global' && space.status === 'current')!.key
}

export const everyone = { type: 'access-class', id: 'all-licensed-users' } as const
export const visitors = { type: 'access-class', id: 'anonymous-users' } as const
