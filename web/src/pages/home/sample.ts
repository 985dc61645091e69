import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'

export type Sample = {
  type: string
  name: string
  url: string
  source_id: string | null
  people: { id: string; name: string; role: string }[]
  groups: { id: string; name: string }[]
}

/** The sample and its source; null where it is disabled. */
export function useSample() {
  return useQuery({ ...useApi().query<Sample[]>('/samples'), select: ([sample]) => sample ?? null })
}

export function namesOf({ people, groups }: Sample): Map<string, string> {
  return new Map([...people, ...groups].map(({ id, name }) => [id, name]))
}
