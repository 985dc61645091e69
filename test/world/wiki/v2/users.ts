import { type ApiCall, ok, WikiError, type WikiResponse } from '../http.ts'
import type { WikiPerson } from '../model/model.ts'
import { emailOf, nameOf, statusOf } from '../v1/people.ts'

/** `POST /users-bulk`: the only documented account status on Cloud. */
export function usersBulk(call: ApiCall): WikiResponse {
  const people = requestedIds(call.body).flatMap((id) => call.world.people.get(id) ?? [])
  return ok({ results: people.map(userItem), _links: { base: call.urls.cloudUrl } })
}

function requestedIds(body: string): string[] {
  const accountIds = parse(body)?.accountIds
  if (!Array.isArray(accountIds) || accountIds.length === 0)
    throw new WikiError(400, "'accountIds' must be a list that is not empty")
  if (accountIds.length > 250) throw new WikiError(400, "At most 250 values are allowed for 'accountIds'")
  return [...new Set(accountIds.map(String))]
}

function parse(body: string): { accountIds?: unknown } | null {
  try {
    return JSON.parse(body)
  } catch {
    throw new WikiError(400, 'The body is not JSON')
  }
}

const userItem = (person: WikiPerson) => ({
  accountId: person.accountId,
  accountType: person.accountType,
  accountStatus: statusOf(person),
  displayName: nameOf(person),
  publicName: nameOf(person),
  email: emailOf(person),
  timeZone: null,
  personalSpaceId: null,
  isExternalCollaborator: person.guest,
  profilePicture: { path: '/wiki/aa-avatar/default', isDefault: true },
})
