import { type LoadedDirectory, type PeopleDirectory, VISITOR_MEMBERSHIP } from '../source.ts'
import type { SampleFile } from './file.ts'
import { PERSON_CLASSES } from './permissions.ts'

export function samplePeople({ people, groups }: SampleFile, directory: LoadedDirectory): PeopleDirectory {
  return {
    /** The file has few people, so the first few are all of them. */
    async find(text) {
      const words = ` ${text.toLowerCase()}`
      const found = people.filter(({ id, name }) => id === text || ` ${name.toLowerCase()}`.includes(words))
      return found.map(({ id, name }) => ({ id, name }))
    },
    async groupsOf(user) {
      if (!directory.names.has(user)) return VISITOR_MEMBERSHIP
      const own = groups.filter(({ members }) => members.includes(user))
      return { account: 'known', groups: own.map(({ id }) => id), classes: PERSON_CLASSES }
    },
    names: async (ids) => ({ users: namesIn(people, ids.users), groups: namesIn(groups, ids.groups) }),
    directory: async () => directory,
  }
}

function namesIn(named: { id: string; name: string }[], ids: string[]): Map<string, string> {
  return new Map(named.filter(({ id }) => ids.includes(id)).map(({ id, name }) => [id, name]))
}
