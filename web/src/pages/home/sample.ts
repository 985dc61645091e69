import { useQuery } from '@tanstack/react-query'
import { useApi } from '../../service/session.ts'
import type { ResponseOf } from '../../service/types.ts'

export type Sample = ResponseOf<'GET /api/v1/samples'>[number]

/** The sample and its source; null where it is disabled. */
export function useSample() {
  return useQuery({ ...useApi().query<Sample[]>('/samples'), select: ([sample]) => sample ?? null })
}

export function namesOf({ people, groups }: Sample): Map<string, string> {
  return new Map([...people, ...groups].map(({ id, name }) => [id, name]))
}
