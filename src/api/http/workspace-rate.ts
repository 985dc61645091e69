import rateLimit, { type RateLimitPluginOptions } from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import type { LimitCounts } from '../../store/counts/counts.ts'
import type { App } from './context.ts'
import { sharedRate } from './shared-rate.ts'

const WINDOW_MS = 60_000

export type WorkspaceRate = RateLimitPluginOptions

/** One count per workspace, so that more keys do not allow more requests. All parts of the API share it. */
export function createWorkspaceRate(counts: LimitCounts, max: number): WorkspaceRate {
  return {
    max,
    timeWindow: WINDOW_MS,
    hook: 'onRequest',
    // Other limits apply to requests without a workspace.
    allowList: ({ caller }: FastifyRequest) => caller === null,
    keyGenerator: ({ caller }: FastifyRequest) => caller?.workspaceId ?? '',
    store: sharedRate(counts, 'workspace'),
    errorResponseBuilder: (_request, { after }) =>
      Object.assign(
        new Error(`Rate limit of the workspace exceeded (${max} requests per minute), retry in ${after}`),
        { statusCode: 429 },
      ),
  }
}

/** Registered before the limit per caller, whose headers a successful response shows. */
export async function limitWorkspaces(api: App, rate: WorkspaceRate): Promise<void> {
  await api.register(rateLimit, rate)
}
