import { forEachLimited } from '../../concurrency.ts'
import { AppError } from '../../errors.ts'
import type { CheckStep } from '../../report.ts'
import type { PageInfo, Space, WikiClient } from './client.ts'
import type { WikiConfig } from './config.ts'
import { describeGrant, type TokenGrant } from './token-grants.ts'
import type { ResponseInfo } from './transport/response-errors.ts'
import { isGateway } from './transport/site.ts'

const STEP_NAME = 'token scopes'
const CONCURRENCY = 4

type GrantCheckInput = { client: WikiClient; config: WikiConfig; space: Space; page: PageInfo }

/** Tries every operation that the settings need with a scoped token; null for other credentials. */
export async function checkTokenGrants(
  input: GrantCheckInput,
  signal: AbortSignal,
): Promise<CheckStep | null> {
  if (!isGateway(input.client.site)) return null
  const certain = new Map<string, TokenGrant>()
  const likely = new Map<string, TokenGrant>()
  await forEachLimited(operations(input, signal), CONCURRENCY, async ({ run, mayBeMissing }) => {
    const missing = await run().then(() => null, missingGrant)
    if (!missing || (missing.status === 404 && mayBeMissing)) return
    const found = missing.status === 401 ? certain : likely
    found.set(missing.grant.purpose, missing.grant)
  })
  signal.throwIfAborted()
  const all = [...certain.values(), ...likely.values()]
  if (all.length === 0)
    return { name: STEP_NAME, status: 'ok', detail: 'the token has every scope that these settings need' }
  const describe = (grants: Iterable<TokenGrant>) => [...grants].map(describeGrant).join('; ')
  const detail = [
    certain.size > 0 ? `the token lacks ${describe(certain.values())}` : '',
    likely.size > 0 ? `the token, or its account, may lack ${describe(likely.values())}` : '',
  ]
  return {
    name: STEP_NAME,
    status: [...certain.values()].some(({ need }) => need === 'always') ? 'failed' : 'warning',
    detail: detail.filter((part) => part !== '').join('; '),
    fix: 'Create a token with these scopes too; docs/connectors/wiki.md lists the purpose of every scope',
  }
}

/** `mayBeMissing`: the object may not exist, so a 404 does not mean a missing grant. */
type Operation = { run(): Promise<unknown>; mayBeMissing?: true }

function operations({ client, config, space, page }: GrantCheckInput, signal: AbortSignal): Operation[] {
  const me = () => client.me(signal)
  const first = async (pages: AsyncIterable<unknown>) => {
    for await (const _ of pages) return
  }
  const blogPosts = { kind: 'blogpost', status: 'current', pageSize: 1 } as const
  const kinds = ['folder', 'whiteboard', 'database', 'embed']
  return [
    { run: () => client.roles(signal) },
    { run: async () => client.grants(space, { mode: 'ROLES_TRANSITION', permissions: new Map() }, signal) },
    { run: () => client.labels({ id: page.id, type: 'page' }, signal) },
    { run: () => client.metadata([page.id], signal) },
    { run: () => client.restriction(page.id, signal) },
    { run: async () => client.account((await me()).id, signal) },
    { run: async () => client.groupsOf((await me()).id, signal) },
    { run: () => client.find('a', signal) },
    {
      run: async () => {
        const [group] = (await client.permissionChecks?.groups(signal)) ?? []
        if (group) await client.members(group, signal)
      },
    },
    {
      run: async () => {
        const subject = { kind: 'user' as const, id: (await me()).id }
        return client.permissionChecks?.checkPermission(
          { pageId: page.id, subject, operation: 'read' },
          signal,
        )
      },
    },
    ...kinds.map((type) => ({
      run: () => client.node({ id: page.id, type }, signal),
      mayBeMissing: true as const,
    })),
    ...(config.include_blog_posts ? [{ run: () => first(client.pagesIn(space, blogPosts, signal)) }] : []),
    ...(config.extract_files || config.extract_images
      ? [{ run: () => client.files({ id: page.id, type: 'page' }, signal) }]
      : []),
  ]
}

function missingGrant(error: unknown): { grant: TokenGrant; status: number } | null {
  if (!(error instanceof AppError)) throw error
  // Transport errors from a response carry this cause.
  const { grant, status } = (error.cause ?? {}) as Partial<ResponseInfo>
  return grant && status ? { grant, status } : null
}
