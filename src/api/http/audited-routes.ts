import type { FastifyReply, FastifyRequest } from 'fastify'
import { auditedName, recordAudit } from '../../store/accounts/audit.ts'
import type { Database } from '../../store/database.ts'
import { type App, isId } from './context.ts'

type Kind = 'source' | 'destination' | 'workflow' | 'job'
type Input = { id: string | undefined; name: string | undefined; body: Payload; response: Payload }
type Payload = Record<string, unknown>
type Audited = { action: string; kind: Kind; details?: (input: Input) => object }

const PREFIX = '/api/v1'

/**
 * Routes whose success is recorded here, with the id and the name of what they changed. Other changing routes record
 * themselves, because their entries need more; test/journey/audit.test.ts walks all of them.
 */
export const AUDITED_ROUTES: Record<string, Audited> = {
  ...connectorRoutes('source'),
  ...connectorRoutes('destination'),
  'POST /sources/:id/preview': { action: 'preview', kind: 'source', details: shownDocuments },
  'POST /destinations/:id/verify': { action: 'verify_index', kind: 'destination' },
  'POST /destinations/:id/repair': { action: 'start_repair', kind: 'destination' },
  'POST /workflows': { action: 'create_workflow', kind: 'workflow' },
  'PUT /workflows/:id': { action: 'change_workflow', kind: 'workflow', details: changedFields },
  'DELETE /workflows/:id': { action: 'delete_workflow', kind: 'workflow' },
  'POST /workflows/:id/run': { action: 'run_workflow', kind: 'workflow', details: startedJob },
  'POST /workflows/:id/sync-permissions': {
    action: 'sync_permissions',
    kind: 'workflow',
    details: startedJob,
  },
  'POST /workflows/:id/preview': { action: 'preview', kind: 'workflow', details: shownDocuments },
  'POST /jobs': { action: 'process_files', kind: 'job' },
  'POST /jobs/:id/cancel': { action: 'stop_job', kind: 'job' },
  'POST /jobs/:id/retry': { action: 'retry_job', kind: 'job', details: startedRetry },
  'POST /jobs/:id/approve-deletions': { action: 'approve_deletions', kind: 'job', details: removed },
  'POST /jobs/retry': { action: 'retry_jobs', kind: 'job', details: changedJobs },
  'POST /jobs/approve-deletions': { action: 'approve_deletions', kind: 'job', details: changedJobs },
}

function connectorRoutes(kind: 'source' | 'destination'): Record<string, Audited> {
  return {
    [`POST /${kind}s`]: { action: `create_${kind}`, kind },
    [`PUT /${kind}s/:id`]: { action: `change_${kind}`, kind, details: changedConnector },
    [`DELETE /${kind}s/:id`]: { action: `delete_${kind}`, kind },
    [`POST /${kind}s/:id/connection-check`]: { action: `check_${kind}`, kind },
  }
}

/** Reads the name first, because a deletion removes it. */
export function auditRoutesOf(app: App, db: Database): void {
  const names = new WeakMap<FastifyRequest, string>()

  app.addHook('preHandler', async (request) => {
    const audited = auditedRoute(request)
    const id = idOf(request)
    if (!audited || !id || !request.caller || !isId(id)) return
    const { workspaceId } = request.caller
    const name = await auditedName(db, { workspaceId, kind: audited.kind, id })
    if (name !== undefined) names.set(request, name)
  })

  app.addHook('onSend', async (request, reply, payload) => {
    const audited = auditedRoute(request)
    if (!audited || !request.caller || !isSuccess(reply)) return
    const { workspaceId, actor } = request.caller
    const response = payloadOf(payload)
    const id = idOf(request) ?? textOf(response.id)
    const name = textOf(response.name) ?? names.get(request) ?? textOf(response.workflow_name)
    const body = isObject(request.body) ? request.body : {}
    await recordAudit(db, {
      workspaceId,
      actor,
      action: audited.action,
      subject: {
        ...(id ? { [audited.kind]: id } : {}),
        ...(name ? { name } : {}),
        ...audited.details?.({ id, name, body, response }),
      },
    })
  })
}

function auditedRoute({ method, routeOptions: { url = '' } }: FastifyRequest): Audited | undefined {
  const path = (url.startsWith(PREFIX) ? url.slice(PREFIX.length) : url).replace(/\/$/, '')
  const key = `${method} ${path}`
  return Object.hasOwn(AUDITED_ROUTES, key) ? AUDITED_ROUTES[key] : undefined
}

function isSuccess({ statusCode }: FastifyReply): boolean {
  return statusCode >= 200 && statusCode < 300
}

function idOf({ params }: FastifyRequest): string | undefined {
  return textOf((params as { id?: unknown }).id)
}

function payloadOf(payload: unknown): Payload {
  if (typeof payload !== 'string') return {}
  const parsed: unknown = JSON.parse(payload || '{}')
  return isObject(parsed) ? parsed : {}
}

function isObject(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** With what the change hides. */
function changedConnector(input: Input): object {
  const { warnings } = input.response
  const codes = Array.isArray(warnings) ? warnings.filter(isObject).map(({ code }) => code) : []
  return { ...changedFields(input), ...(codes.length > 0 ? { warnings: codes } : {}) }
}

/** Names of settings, never their values: those may be secret. */
function changedFields({ body }: Input): object {
  const { config, ...others } = body
  const settings = isObject(config) ? Object.keys(config).map((name) => `config.${name}`) : []
  const fields = [...Object.keys(others), ...settings].toSorted()
  return fields.length > 0 ? { fields: fields.slice(0, MAX_LISTED) } : {}
}

// Keeps entries short enough to read.
const MAX_LISTED = 20

function startedJob({ response }: Input): object {
  return typeof response.id === 'string' ? { job: response.id } : {}
}

function startedRetry({ response }: Input): object {
  return typeof response.id === 'string' ? { new_job: response.id } : {}
}

function removed({ response }: Input): object {
  return typeof response.removed === 'number' ? { removed: response.removed } : {}
}

/** The documents that the caller has seen, however they were chosen. */
function shownDocuments({ response }: Input): object {
  const documents = Array.isArray(response.documents) ? response.documents.filter(isObject) : []
  return { record_ids: documents.map(({ record_id: id }) => id).slice(0, MAX_LISTED) }
}

function changedJobs({ response }: Input): object {
  const results = Array.isArray(response.results) ? response.results.filter(isObject) : []
  const done = results.filter(({ error }) => error === null)
  return { jobs: done.map(({ job_id: id }) => id) }
}
