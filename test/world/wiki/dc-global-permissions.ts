import { inGroupNamed, mayUseProduct } from './access/membership.ts'
import { atLeast } from './dc-version.ts'
import { type ApiCall, ok, type Route, route, WikiError } from './http.ts'
import type { WikiPerson } from './model/model.ts'

interface GlobalPermission {
  operation: { targetType: string; operationKey: string }
  subject: Subject & { displayName: string }
}

type Subject = { type: string; name?: string; userKey?: string }

/** Who may use the product on Data Center, since 9.3 and for administrators: the switches of the site. */
export const globalPermissionRoutes: Route[] = [
  route('GET /permissions', '', (call) =>
    answer(call, [
      permission('use', { type: 'group', name: 'confluence-users' }),
      ...outsideTheGroup(call).map(({ userKey }) => permission('use', { type: 'user', userKey })),
      permission('administer', { type: 'group', name: 'confluence-administrators' }),
      ...anonymous(call),
    ]),
  ),
  route('GET /permissions/anonymous', '', (call) => answer(call, anonymous(call))),
  route('GET /permissions/unlicensed', '', (call) =>
    answer(
      call,
      call.world.settings.dcUnlicensed ? [permission('use_unlicensed', { type: 'unlicensed' })] : [],
    ),
  ),
]

/** People with access to the product whom the group does not hold: guests and apps of Cloud. */
const outsideTheGroup = ({ world }: ApiCall): WikiPerson[] =>
  [...world.people.values()].filter(
    ({ accountId }) => mayUseProduct(world, accountId) && !inGroupNamed(world, accountId, 'confluence-users'),
  )

const anonymous = ({ world }: ApiCall): GlobalPermission[] =>
  world.settings.dcVisitors ? [permission('use', { type: 'anonymous' })] : []

const permission = (operationKey: string, subject: Subject): GlobalPermission => ({
  operation: { targetType: 'application', operationKey },
  subject: { ...subject, displayName: subject.name ?? subject.userKey ?? subject.type },
})

function answer(call: ApiCall, rows: GlobalPermission[]) {
  if (!atLeast(call.world, '9.3')) throw new WikiError(404, `null for uri: ${call.url}`)
  if (!call.account.admin || call.account.forbidden)
    throw new WikiError(403, 'Only administrators may view global permissions')
  return ok(rows)
}
