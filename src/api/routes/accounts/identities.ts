import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { emailIdentity } from '../../../accounts/identities.ts'
import type { Caller } from '../../../accounts/roles.ts'
import { invalid, notFound } from '../../../errors.ts'
import { withSource } from '../../../jobs/connections.ts'
import { fillIdentities } from '../../../jobs/passes/fill-identities.ts'
import { recordAudit } from '../../../store/accounts/audit.ts'
import { importIdentities, type NewIdentity, readFill } from '../../../store/accounts/identities.ts'
import {
  countIdentities,
  deleteIdentity,
  type ListedIdentity,
  listIdentities,
} from '../../../store/accounts/identity-list.ts'
import { unmatchedAccounts, unmatchedClaims } from '../../../store/accounts/unmatched.ts'
import type { Database } from '../../../store/database.ts'
import { type ApiContext, type App, callerOf } from '../../http/context.ts'
import { withDeadline } from '../../http/deadline.ts'
import { identityPageShape, type identityShape, unmatchedShape } from '../../shapes/identity.ts'
import { sourceIn } from '../connectors/connector-in.ts'
import {
  entryProblems,
  type IdentityEntry,
  MAX_ENTRIES,
  MAX_ERRORS,
  readIdentityCsv,
  writeIdentityHeader,
  writeIdentityRows,
} from './identity-csv.ts'

/** 50,000 rows of 150 bytes. */
const IMPORT_BYTES = 8 * 1024 * 1024
/** 10,000 people need about 100 requests. */
const FILL_MS = 120_000

/** The identity table: which account a person has in each source. */
export async function identityRoutes(app: App, context: ApiContext): Promise<void> {
  await app.register(async (child) => importRoute(child as App, context))
  listRoute(app, context)
  exportRoute(app, context)
  unmatchedRoute(app, context)
  deleteAndFillRoutes(app, context)
}

const tags = ['identities']
const config = { allows: 'administrator', keys: false } as const

/** In a context of its own, since it accepts CSV. */
async function importRoute(app: App, { resources: { db } }: ApiContext): Promise<void> {
  app.addContentTypeParser(
    'text/csv',
    { parseAs: 'string', bodyLimit: IMPORT_BYTES },
    (_request, text, done) => done(null, text),
  )
  app.put(
    '/identities',
    {
      config: { ...config, takesFiles: true },
      bodyLimit: IMPORT_BYTES,
      preValidation: csvToJson,
      schema: { tags, querystring: importQuery, body: importBody, response: { 200: importedShape } },
    },
    async (request) => {
      const caller = callerOf(request)
      const { source_id: id, identities, replace } = request.body
      const source = await sourceIn(db, caller.workspaceId, id)
      const rows = identities.flatMap(toRows)
      await importIdentities(db, { workspaceId: caller.workspaceId, sourceId: source.id, rows, replace })
      const { total, ambiguous } = await countIdentities(db, caller.workspaceId, { sourceId: source.id })
      await record(db, caller, {
        action: 'import_identities',
        subject: { source: source.id, identities: rows.length, replace },
      })
      return { imported: rows.length, total, ambiguous }
    },
  )
}

function listRoute(app: App, { resources: { db }, reads }: ApiContext): void {
  const filters = {
    source_id: z.uuid().optional(),
    kind: z.enum(['email', 'claim', 'member']).optional(),
    origin: z.enum(['import', 'source', 'link']).optional(),
    query: z.string().trim().max(255).optional(),
    ambiguous: z.enum(['true', 'false']).optional(),
  }
  app.get(
    '/identities',
    {
      config,
      schema: {
        tags,
        querystring: z.strictObject({ ...filters, cursor: numberCursor, limit: pageLimit }),
        response: { 200: identityPageShape },
      },
    },
    async (request) => {
      const { workspaceId } = callerOf(request)
      const { cursor, limit, source_id: id, ambiguous, kind, origin, query } = request.query
      const sourceId = id && (await sourceIn(db, workspaceId, id)).id
      const filter = { sourceId, kind, origin, query: query || undefined, ambiguous: flag(ambiguous) }
      const page = { ...filter, before: cursor ?? null, limit: limit + 1 }
      const [found, counts] = await reads.run(workspaceId, (transaction) =>
        Promise.all([
          listIdentities(transaction, workspaceId, page),
          countIdentities(transaction, workspaceId, filter),
        ]),
      )
      const items = found.slice(0, limit)
      return {
        items: items.map(toIdentity),
        next: found.length > limit ? (items.at(-1)?.id ?? null) : null,
        counts,
      }
    },
  )
}

function exportRoute(app: App, { resources: { db }, reads }: ApiContext): void {
  app.get(
    '/identities.csv',
    { config, schema: { tags, querystring: z.strictObject({ source_id: z.uuid() }) } },
    async (request, reply) => {
      const caller = callerOf(request)
      const { id: sourceId } = await sourceIn(db, caller.workspaceId, request.query.source_id)
      const { workspaceId } = caller
      const counted = await reads.run(workspaceId, (transaction) =>
        Promise.all(EXPORTED.map((kind) => countIdentities(transaction, workspaceId, { sourceId, kind }))),
      )
      const read: ReadIdentities = (kind, before) =>
        reads.run(workspaceId, (transaction) =>
          listIdentities(transaction, workspaceId, { sourceId, kind, before, limit: EXPORT_PAGE }),
        )
      const lines = await reads.stream(
        { workspaceId, name: 'exports of identities', streams: MAX_EXPORTS },
        csvLines(read),
      )
      const identities = counted.reduce((sum, { total }) => sum + total, 0)
      await record(db, caller, { action: 'export_identities', subject: { source: sourceId, identities } })
      return reply
        .header('content-disposition', 'attachment; filename="identities.csv"')
        .type('text/csv; charset=utf-8')
        .send(lines)
    },
  )
}

/** Accounts and claims without an identity. */
function unmatchedRoute(app: App, { resources: { db }, reads }: ApiContext): void {
  app.get(
    '/identities/unmatched',
    {
      config,
      schema: {
        tags,
        querystring: z.strictObject({
          source_id: z.uuid(),
          cursor: z.string().max(1000).optional(),
          limit: pageLimit,
        }),
        response: { 200: unmatchedShape },
      },
    },
    async (request) => {
      const { source_id: id, cursor = '', limit } = request.query
      const { workspaceId } = callerOf(request)
      const { id: sourceId } = await sourceIn(db, workspaceId, id)
      const [found, claims] = await reads.run(workspaceId, (transaction) =>
        Promise.all([
          unmatchedAccounts(transaction, sourceId, { after: cursor, limit: limit + 1 }),
          unmatchedClaims(transaction, sourceId),
        ]),
      )
      const accounts = found.slice(0, limit)
      return {
        accounts,
        next: found.length > limit ? (accounts.at(-1)?.account ?? null) : null,
        claims: claims.map(({ kind, value, seen_at: at, accounts: count }) => {
          const reason = count > 1 ? ('ambiguous' as const) : ('unknown' as const)
          return { kind, value, reason, seen_at: at.toISOString() }
        }),
        read_at: (await readFill(db, sourceId))?.read_at?.toISOString() ?? null,
      }
    },
  )
}

function deleteAndFillRoutes(app: App, { resources: { db }, connections }: ApiContext): void {
  app.delete(
    '/identities/:id',
    { config, schema: { tags, params: z.object({ id: z.string() }), response: { 200: z.object({}) } } },
    async (request) => {
      const caller = callerOf(request)
      const { id } = request.params
      if (!isRowId(id) || !(await deleteIdentity(db, caller.workspaceId, id))) throw notFound('Identity')
      await record(db, caller, { action: 'delete_identity', subject: { identity: id } })
      return {}
    },
  )

  app.post(
    '/identities/fill',
    {
      config,
      schema: {
        tags,
        body: z.strictObject({ source_id: z.uuid() }),
        response: { 200: z.object({ accounts: z.number(), emails: z.number() }) },
      },
    },
    async (request, reply) => {
      const caller = callerOf(request)
      const row = await sourceIn(db, caller.workspaceId, request.body.source_id)
      const { id: sourceId, workspace_id: workspaceId, revision } = row
      const doing = 'reading the people of the source'
      const filled = await withDeadline(reply, { ms: FILL_MS, doing }, (signal) =>
        withSource(connections, { sourceId }, (source) =>
          fillIdentities(db, { source, sourceId, revision, workspaceId }, signal),
        ),
      )
      await record(db, caller, { action: 'fill_identities', subject: { source: sourceId, ...filled } })
      return filled
    },
  )
}

function record(db: Database, { workspaceId, actor }: Caller, entry: { action: string; subject: object }) {
  return recordAudit(db, { workspaceId, actor, ...entry })
}

const EXPORT_PAGE = 1000
const MAX_EXPORTS = 2

const EXPORTED = ['email', 'claim'] as const

type ReadIdentities = (kind: (typeof EXPORTED)[number], before: string | null) => Promise<ListedIdentity[]>

async function* csvLines(read: ReadIdentities): AsyncGenerator<string> {
  let text = writeIdentityHeader()
  for (const kind of EXPORTED) {
    let rows = await read(kind, null)
    for (let last = rows.at(-1); last; last = rows.at(-1)) {
      yield text + writeIdentityRows(rows)
      text = ''
      rows = rows.length < EXPORT_PAGE ? [] : await read(kind, last.id)
    }
  }
  if (text) yield text
}

const numberCursor = z
  .string()
  .regex(/^\d{1,18}$/, 'cursor should be the `next` of another response')
  .optional()
const pageLimit = z.coerce.number().int().min(1).max(500).default(50)

/** For CSV only; JSON has them in the body. */
const importQuery = z.strictObject({
  source_id: z.uuid().optional(),
  replace: z.enum(['true', 'false']).optional(),
})

const cell = z.string().max(255)
const importBody = z
  .strictObject({
    source_id: z.uuid(),
    identities: z
      .array(z.strictObject({ email: cell.optional(), claim: cell.optional(), account: cell }))
      .max(MAX_ENTRIES),
    replace: z.boolean().default(false).describe('Whether it replaces all imported identities of the source'),
  })
  .superRefine(({ identities }, context) => {
    const problems = identities
      .values()
      .flatMap((entry, at) => entryProblems(entry).map((problem) => ({ at, ...problem })))
      .take(MAX_ERRORS)
    for (const { at, field, msg } of problems)
      context.addIssue({ code: 'custom', path: ['identities', at, field], message: `${field} ${msg}` })
  })

const importedShape = z.object({
  imported: z.number(),
  /** All identities of the source. */
  total: z.number(),
  /** Those whose value names several accounts. */
  ambiguous: z.number(),
})

/** A table becomes the JSON body, so that both are checked by one schema. */
async function csvToJson(request: FastifyRequest): Promise<void> {
  const query = request.query as { source_id?: unknown; replace?: unknown }
  if (typeof request.body !== 'string') {
    const [name] = Object.keys(query)
    if (name !== undefined) throw invalid(['query', name], `${name} belongs into the JSON body`)
    return
  }
  if (typeof query.source_id !== 'string')
    throw invalid(['query', 'source_id'], 'source_id is missing', 'missing')
  request.body = {
    source_id: query.source_id,
    identities: readIdentityCsv(request.body).map(withoutAbsent),
    replace: query.replace === 'true',
  }
}

function withoutAbsent(entry: IdentityEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined))
}

function toRows({ email, claim, account }: IdentityEntry): NewIdentity[] {
  const values = [
    ...(email === undefined ? [] : [emailIdentity(email)]),
    ...(claim === undefined ? [] : [{ kind: 'claim' as const, value: claim }]),
  ]
  return values.map((value) => ({ ...value, account: account.trim() }))
}

function toIdentity(row: ListedIdentity): z.infer<typeof identityShape> {
  const { id, source_id, kind, value, member, account, origin, ambiguous } = row
  return {
    id,
    source_id,
    kind,
    value,
    member,
    account,
    origin,
    ambiguous,
    created_at: row.created_at.toISOString(),
  }
}

function flag(text: 'true' | 'false' | undefined): boolean | undefined {
  return text === undefined ? undefined : text === 'true'
}

function isRowId(text: string): boolean {
  return /^\d{1,18}$/.test(text)
}
