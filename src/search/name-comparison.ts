import { siteOfRecord } from '../record-id.ts'
import type { ConnectorRow } from '../store/connectors/connectors.ts'
import type { Names } from './names.ts'
import { principalLists, withNames } from './principals.ts'
import type { LabComparison } from './shapes/lab.ts'

/** Fills in the names of the compared people, and of those whom a level names. */
export async function nameComparison(
  compared: LabComparison,
  names: Names,
  destination: ConnectorRow,
): Promise<LabComparison> {
  const sites = [...new Set(compared.documents.map(({ record_id: id }) => siteOfRecord(id)))]
  const bySite = new Map(
    await Promise.all(
      sites.map(
        async (site) => [site, await names.of(destination, idsAt(compared, site), { site })] as const,
      ),
    ),
  )
  const users = compared.people.flatMap(({ user }) => user ?? [])
  const people = await names.of(destination, { users, groups: [] })
  return {
    ...compared,
    people: compared.people.map(({ name, user, ...rest }) => {
      return { name: name ?? people.users.get(user ?? '') ?? null, user, ...rest }
    }),
    documents: compared.documents.map((document) => {
      const found = bySite.get(siteOfRecord(document.record_id))
      return {
        ...document,
        people: document.people.map(({ status, stopped_by: level }) => ({
          status,
          stopped_by: level && found ? { ...level, principals: withNames(level.principals, found) } : level,
        })),
      }
    }),
  }
}

function idsAt({ documents }: LabComparison, site: string) {
  const here = documents.filter(({ record_id: id }) => siteOfRecord(id) === site)
  return principalLists(
    here.flatMap(({ people }) => people.flatMap(({ stopped_by: level }) => level?.principals ?? [])),
  )
}
