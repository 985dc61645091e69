import { createIdentity } from '../accounts/identity.ts'
import type { IssuerFetch } from '../accounts/issuer.ts'
import { keys as createKeys } from '../accounts/keys.ts'
import { createPersonTokens } from '../accounts/person-token.ts'
import { makeSetupToken } from '../accounts/setup.ts'
import { createExpensiveReads } from '../api/http/expensive-reads.ts'
import { openUploads } from '../api/http/forms/uploads.ts'
import { createServer } from '../api/http/server.ts'
import { addUploadMetrics } from '../api/http/upload-metrics.ts'
import type { Egress } from '../connectors/egress/egress.ts'
import type { Environment } from '../environment.ts'
import type { StartContext } from './context.ts'
import type { Parts } from './resources.ts'

/** The server of the API and the page, before it listens. */
export async function openServer(environment: Environment, parts: Parts, context: StartContext) {
  const { log, secrets, closers, monitoring } = context
  const { db, vault, egress } = parts.resources
  const { oidc, rateLimit, personRateLimit, publicUrls, trustedProxies } = environment
  const { workspaceRateLimit, maxKeys, maxWorkspaces } = environment
  if (oidc?.clientSecret) secrets.add(oidc.clientSecret)
  const secret = vault.secretFor('sessions')
  const fetchIssuer = issuerFetchThrough(egress)
  const identity = createIdentity(db, { secret, oidc, fetchIssuer, log })
  const personTokens = createPersonTokens(db, { fetchIssuer, maxHours: environment.personTokenHours })
  const uploads = await openUploads()
  closers.push(() => uploads.close())
  monitoring.add((metrics) => addUploadMetrics(metrics, { db, uploads }))
  const server = await createServer(
    { ...parts, uploads, reads: createExpensiveReads(db) },
    {
      keys: createKeys(db, vault),
      identity,
      personTokens,
      rateLimit,
      personRateLimit,
      trustedProxies,
      monitoring,
      log,
      workspaceRateLimit,
      accountLimits: { maxKeys, maxWorkspaces },
      publicUrls,
      publicHosts: [...publicUrls.map(({ hostname }) => hostname), environment.host],
    },
  )
  closers.push(() => server.close())
  return server
}

/** Where the first account is created; null once one exists. */
export async function setupUrlOf(
  { publicUrls }: Environment,
  { resources }: Parts,
  url: string,
): Promise<string | null> {
  const token = await makeSetupToken(resources.db)
  const pageUrl = publicUrls[0]?.href.replace(/\/$/, '') ?? url
  return token && `${pageUrl}/setup?token=${token}`
}

// A person waits in the browser; responses are a few kilobytes.
const ISSUER_MS = 15_000
const ISSUER_BYTES = 1024 * 1024

/** The identity provider needs https and a public address, unless allowed. */
function issuerFetchThrough(egress: Egress): IssuerFetch {
  return (url, request) =>
    egress.request(url, { ...request, maxBytes: ISSUER_BYTES }, AbortSignal.timeout(ISSUER_MS))
}
