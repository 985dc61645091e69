import { scopes } from '../access/scopes.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from '../http.ts'
import type { Group, WikiPerson } from '../model/model.ts'
import { cappedLimit, offsetPage, wholeNumber } from '../paging.ts'
import { baseOf, parseExpand, type V1Context } from './expand.ts'
import { groupItem, type UserFields, userItem } from './people.ts'
import { searchUser } from './search-user.ts'

/** Groups and people of v1 on Cloud. */
export const cloudV1PeopleRoutes: Route[] = [
  route('GET /group', scopes.group, (call) =>
    groupPage(
      call,
      liveGroups(call).map((group) => groupItem(cloud(call), group)),
      200,
    ),
  ),
  route('GET /group/by-id', scopes.group, (call) =>
    ok(groupItem(cloud(call), groupById(call, call.query.get('id') ?? ''))),
  ),
  route('GET /group/{id}/membersByGroupId', scopes.members, members),
  route('GET /user', scopes.user, (call) => ok(userItem(cloud(call), shownPerson(call), whole(call)))),
  route('GET /user/bulk', scopes.user, userBulk),
  route('GET /user/memberof', scopes.memberOf, memberOf),
  route('GET /user/current', scopes.user, (call) =>
    ok(userItem(cloud(call), call.world.people.get(call.account.accountId), whole(call))),
  ),
  route('GET /search/user', scopes.searchUser, searchUser),
]

const cloud = (call: ApiCall): V1Context => ({ call, site: 'cloud' })

const whole = (call: ApiCall): UserFields => ({ email: true, expand: parseExpand(call.query.get('expand')) })

const liveGroups = ({ world }: ApiCall): Group[] =>
  [...world.groups.values()].filter((group) => !group.deleted)

function groupById({ world }: ApiCall, id: string): Group {
  const group = world.groups.get(id)
  if (group === undefined || group.deleted) throw new WikiError(404, `No group found with id ${id}`)
  return group
}

/** Offset paging without a reliable next link: clients read until size is below limit. */
function groupPage(call: ApiCall, all: unknown[], cap: number): WikiResponse {
  const { more, ...page } = offsetPage(all, wholeNumber(call, 'start', 0), cappedLimit(call, cap, cap))
  const base = baseOf(cloud(call))
  const path = call.url.replace(/\?.*$/, '').replace(/^\/wiki/, '')
  const query = new URLSearchParams(call.query)
  query.set('start', String(page.start + page.size))
  const next = more && call.world.settings.groupNext ? { next: `${path}?${query}` } : {}
  return ok({ ...page, _links: { base, context: '/wiki', self: `${base}${path}`, ...next } })
}

function members(call: ApiCall): WikiResponse {
  // An unknown group is 200 and empty here, unlike by id.
  const group = call.world.groups.get(call.params.id ?? '')
  if (call.account.forbidden) throw new WikiError(403, 'User not permitted to view group members')
  const members = group === undefined || group.deleted ? [] : [...group.members]
  const people = members.map((id) =>
    userItem(cloud(call), call.world.people.get(id), { ...whole(call), marked: true }),
  )
  return groupPage(call, people, 200)
}

function personOf(call: ApiCall): WikiPerson {
  const accountId = call.query.get('accountId')
  if (accountId === null) throw new WikiError(400, 'accountId is required')
  const person = call.world.people.get(accountId)
  if (person === undefined) throw new WikiError(404, `No user found with account id : ${accountId}`)
  return person
}

function shownPerson(call: ApiCall): WikiPerson {
  const person = personOf(call)
  if (person.closed && call.world.settings.closedUsers === 'missing')
    throw new WikiError(404, `No user found with account id : ${person.accountId}`)
  return person
}

/** The first 100 accounts; unknown ones are left out. */
function userBulk(call: ApiCall): WikiResponse {
  const wanted = call.query.getAll('accountId').slice(0, 100)
  if (wanted.length === 0) throw new WikiError(400, 'accountId is required')
  const people = wanted.flatMap((id) => call.world.people.get(id) ?? [])
  const results = people.map((person) => userItem(cloud(call), person, whole(call)))
  const base = baseOf(cloud(call))
  return ok({ results, start: 0, limit: 100, size: results.length, _links: { base, context: '/wiki' } })
}

function memberOf(call: ApiCall): WikiResponse {
  const { accountId } = personOf(call)
  const groups = liveGroups(call).filter((group) => group.members.has(accountId))
  return groupPage(
    call,
    groups.map((group) => groupItem(cloud(call), group)),
    200,
  )
}
