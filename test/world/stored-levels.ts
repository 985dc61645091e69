import { clauses } from '../../src/permissions/algebra.ts'
import { type Access, NO_ACCESS } from '../../src/permissions/levels.ts'
import { anyOf, UNQUALIFIED_NAMING } from '../../src/permissions/principals.ts'

const directory = {
  ...{ naming: UNQUALIFIED_NAMING, members: () => undefined, inClass: () => undefined },
  isIgnored: () => false,
}
/** A scope and pages `1` to `count`, each for its own person and for Ann. */
export function accessWith(count: number): Access {
  const people = Array.from({ length: count + 1 }, (_, at) => anyOf(['ann', `person-${at}`]))
  const names = people.map((_, at) => ({ kind: at ? 'page' : 'space', id: String(at), title: `Title ${at}` }))
  const set = { site: 'wiki.test', scope: '0', levels: names.slice(1).map(({ id }) => id) }
  return { ...NO_ACCESS, clauses: clauses(people, directory), levels: names, set }
}
/** Page `2`, below page `1`. */
export const document = {
  ...{ recordId: 'wiki.test/2', title: 'Gate plans', scope: 'MILL', scopeName: 'The mill' },
  ancestors: [
    { id: '5', title: 'Open page' },
    { id: '1', title: 'Plans' },
  ],
}
