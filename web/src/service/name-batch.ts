import type { ResponseOf } from './types.ts'

export type PrincipalKind = 'users' | 'groups'
export type NamesResponse = ResponseOf<'POST /api/v1/destinations/{id}/names'>
type NamesRequest = Record<PrincipalKind, string[]>

/** The most ids per kind that the service takes. */
export const MAX_NAMES = 200

/** Loads single names; collects the ids of one tick into one request. */
export function createNameBatch(load: (ids: NamesRequest) => Promise<NamesResponse>) {
  let waiting: { kind: PrincipalKind; id: string; settle: (names: Promise<NamesResponse>) => void }[] = []

  function send(): void {
    const sent = waiting
    waiting = []
    const idsOf = (kind: PrincipalKind) => [
      ...new Set(sent.filter((each) => each.kind === kind).map(({ id }) => id)),
    ]
    const ids: NamesRequest = { users: idsOf('users'), groups: idsOf('groups') }
    const longest = Math.max(ids.users.length, ids.groups.length)
    for (let at = 0; at < longest; at += MAX_NAMES) {
      const part: NamesRequest = {
        users: ids.users.slice(at, at + MAX_NAMES),
        groups: ids.groups.slice(at, at + MAX_NAMES),
      }
      const names = load(part)
      for (const { kind, id, settle } of sent) if (part[kind].includes(id)) settle(names)
    }
  }

  return (kind: PrincipalKind, id: string): Promise<string | null> =>
    new Promise<NamesResponse>((settle) => {
      if (waiting.length === 0) setTimeout(send)
      waiting.push({ kind, id, settle })
    }).then((names) => names[kind].find((each) => each.id === id)?.name ?? null)
}
