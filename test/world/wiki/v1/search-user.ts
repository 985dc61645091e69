import { isLicensedUser } from '../access/membership.ts'
import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import type { WikiPerson } from '../model/model.ts'
import { cappedLimit, offsetPage, wholeNumber } from '../paging.ts'
import { badCql } from '../search/cql-fields.ts'
import { baseOf, parseExpand, type V1Context } from './expand.ts'
import { userItem } from './people.ts'

// The wiki finds no more people than these, however it is asked.
const MAX_FOUND = 10_000

/** `GET /search/user`: licensed people only, unless the filter says otherwise; never closed accounts. */
export function searchUser(call: ApiCall): WikiResponse {
  const cql = call.query.get('cql') ?? ''
  const matches = parseUserCql(cql)
  const hasType = filterOf(call)
  const all = [...call.world.people.values()]
    .filter((person) => !person.closed && hasType(person) && matches(person))
    .slice(0, MAX_FOUND)
  const { more, ...page } = offsetPage(all, wholeNumber(call, 'start', 0), cappedLimit(call, 25, 200))
  const context: V1Context = { call, site: 'cloud' }
  const query = new URLSearchParams(call.query)
  query.set('start', String(page.start + page.size))
  const next = more ? { next: `/rest/api/search/user?${query}` } : {}
  return ok({
    ...page,
    results: page.results.map((person) => resultItem(context, person)),
    totalSize: all.length,
    cqlQuery: cql,
    searchDuration: 1,
    _links: { base: baseOf(context), context: '/wiki', ...next },
  })
}

type Test = (person: WikiPerson) => boolean

function filterOf({ query }: ApiCall): Test {
  const name = query.get('sitePermissionTypeFilter') ?? 'none'
  const filter = filters[name]
  if (filter === undefined) throw new WikiError(400, `Unknown sitePermissionTypeFilter ${name}`)
  return filter
}

const filters: Record<string, Test> = {
  none: (person) => isLicensedUser(person) && !person.guest,
  externalCollaborator: (person) => person.guest,
  all: () => true,
}

/** One clause: all people, people by id, or by the beginnings of their names. */
function parseUserCql(cql: string): Test {
  if (/^\s*type\s*=\s*"?user"?\s*$/i.test(cql)) return () => true
  const [, field = '', operator = '', text = ''] =
    /^\s*(user(?:\.\w+)?)\s*(=|!=|~|not\s+in\b|in\b)\s*(.+?)\s*$/i.exec(cql) ?? []
  const values = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|([^\s",()]+)/g)].map(
    ([, quoted, word]) => quoted?.replaceAll(/\\(.)/g, '$1') ?? word ?? '',
  )
  if (/^user\.fullname$/i.test(field) && operator === '~' && values.length > 0)
    return nameBegins(values.join(' '))
  if (!/^user(\.accountid)?$/i.test(field) || operator === '~' || values.length === 0) throw badCql(cql)
  const isNegative = /^(!=|not)/i.test(operator)
  return ({ accountId }) => values.includes(accountId) !== isNegative
}

const nameBegins =
  (words: string): Test =>
  ({ name }) =>
    ` ${name.toLowerCase()}`.includes(` ${words.toLowerCase()}`)

function resultItem(context: V1Context, person: WikiPerson): Record<string, unknown> {
  const expand = parseExpand(context.call.query.get('expand'))
  return {
    user: userItem(context, person, { email: true, expand, marked: true }),
    title: person.name,
    excerpt: '',
    url: `/people/${person.accountId}`,
    breadcrumbs: [],
    entityType: 'user',
    iconCssClass: 'aui-icon content-type-profile',
    lastModified: '2026-01-01T00:00:00.000Z',
    friendlyLastModified: 'Jan 01, 2026',
    score: 0,
  }
}
