import { mayUseProduct } from './access/membership.ts'
import { dcPage } from './dc-page.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, type Route, route, WikiError, type WikiResponse } from './http.ts'
import type { Group, WikiPerson } from './model/model.ts'
import { parseExpand, type V1Context } from './v1/expand.ts'
import { groupItem, type UserFields, userItem } from './v1/people.ts'

/** Data Center has no account or group ids. */
export const peopleRoutes: Route[] = [
  route('GET /user', '', (call) => ok(userItem(dc(call), personOf(call), shown(call)))),
  route('GET /user/current', '', (call) =>
    ok(userItem(dc(call), call.world.people.get(call.account.accountId), shown(call))),
  ),
  route('GET /user/list', '', userList),
  route('GET /admin/users/list/active', '', activeUsers),
  route('GET /user/memberof', '', memberOf),
  route('GET /group', '', (call) =>
    dcPage(call, liveGroups(call), {
      cap: 200,
      defaultLimit: 200,
      toItem: (group) => groupItem(dc(call), group),
    }),
  ),
  route('GET /group/{name}', '', (call) => ok(groupItem(dc(call), groupNamed(call)))),
  route('GET /group/{name}/member', '', members),
]

const dc = (call: ApiCall): V1Context => ({ call, site: 'dataCenter' })

const shown = (call: ApiCall): UserFields => ({ expand: parseExpand(call.query.get('expand')) })

/** Only Cloud has apps and customers. */
const localPeople = ({ world }: ApiCall): WikiPerson[] =>
  [...world.people.values()].filter(({ accountType }) => accountType !== 'customer')

/** Before 10.1 every fifth person is missing; before 8.4 inactive people too. */
function userList(call: ApiCall): WikiResponse {
  const complete = atLeast(call.world, '10.1')
  const all = localPeople(call).filter(({ active }) => active || atLeast(call.world, '8.4'))
  const people = all.filter((_, at) => complete || at % 5 !== 4)
  return dcPage(call, people, {
    cap: 200,
    defaultLimit: 200,
    toItem: (person) => userItem(dc(call), person, shown(call)),
  })
}

/** Since 9.3, for administrators: active, licensed people with addresses. */
function activeUsers(call: ApiCall): WikiResponse {
  if (!atLeast(call.world, '9.3')) throw new WikiError(404, `null for uri: ${call.url}`)
  if (!call.account.admin || call.account.forbidden)
    throw new WikiError(403, 'Only administrators may list the active users')
  const people = localPeople(call).filter(({ accountId }) => mayUseProduct(call.world, accountId))
  return dcPage(call, people, {
    cap: 200,
    defaultLimit: 200,
    toItem: (person) => ({ ...userItem(dc(call), person), email: person.email }),
  })
}

function memberOf(call: ApiCall): WikiResponse {
  const { accountId } = personOf(call)
  const groups = liveGroups(call).filter((group) => group.members.has(accountId))
  return dcPage(call, groups, { cap: 200, defaultLimit: 200, toItem: (group) => groupItem(dc(call), group) })
}

/** Only for administrators since 8.5; others get 401, not 403 (CONFSERVER-98582). */
function members(call: ApiCall): WikiResponse {
  if (atLeast(call.world, '8.5') && !call.account.admin)
    throw new WikiError(401, 'Only administrators may list the members of a group')
  const group = groupNamed(call)
  if (call.account.forbidden) throw new WikiError(403, 'User not permitted to view group members')
  const people = [...group.members].flatMap((id) => call.world.people.get(id) ?? [])
  return dcPage(call, people, {
    cap: 200,
    defaultLimit: 200,
    toItem: (person) => userItem(dc(call), person, shown(call)),
  })
}

function personOf(call: ApiCall): WikiPerson {
  const [key, username] = [call.query.get('key'), call.query.get('username')]
  if (key === null && username === null)
    throw new WikiError(400, 'Either the key or the username is required')
  const found = localPeople(call).find((person) => person.userKey === key || person.username === username)
  if (found === undefined) throw new WikiError(404, 'No user found with the given key or username')
  return found
}

const liveGroups = ({ world }: ApiCall): Group[] =>
  [...world.groups.values()].filter(({ deleted }) => !deleted)

/** A slash in a group's name breaks the address, encoded or not. */
function groupNamed(call: ApiCall): Group {
  const found = liveGroups(call).find(({ name }) => name === call.params.name)
  if (found === undefined || found.name.includes('/'))
    throw new WikiError(404, `No group with name : ${call.params.name}`)
  return found
}
