import { hash } from 'node:crypto'

type Group = { id: string; members: ReadonlySet<string> | undefined }

/** People who represent those with the same groups. */
const PER_SIGNATURE = 2
const AT_LEAST = 4
const AT_MOST = 20

/**
 * People whose checks tell whether a restriction refuses any of `people`. A restriction names groups and people. One
 * that names groups refuses someone with the fewest groups, if it refuses anyone: so one person for each smallest set
 * of groups is enough, and a restriction that names fewer single people than are checked refuses one of them. `seed`
 * varies the choice between pages.
 */
export function representatives(people: ReadonlySet<string>, groups: Group[], seed: string): string[] {
  const groupsOf = new Map([...people].map((person) => [person, new Set<string>()]))
  for (const { id, members = [] } of groups) for (const person of members) groupsOf.get(person)?.add(id)
  const order = new Map([...people].map((person) => [person, hash('sha256', `${seed} ${person}`)]))
  const shuffled = [...people].sort((a, b) => (order.get(a)! < order.get(b)! ? -1 : 1))
  const signatures = Map.groupBy(shuffled, (person) => [...groupsOf.get(person)!].sort().join(' '))
  const minimal = [...signatures].filter(([own, [person = '']]) => {
    const mine = groupsOf.get(person)!
    return ![...signatures].some(
      ([other, [another = '']]) => other !== own && groupsOf.get(another)!.isSubsetOf(mine),
    )
  })
  const chosen = new Set(minimal.flatMap(([, [first]]) => first ?? []))
  for (const [, same] of minimal) for (const person of same.slice(0, PER_SIGNATURE)) chosen.add(person)
  for (const person of shuffled) if (chosen.size < AT_LEAST) chosen.add(person)
  return [...chosen].slice(0, AT_MOST)
}
