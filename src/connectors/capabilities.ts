import { AppError } from '../errors.ts'
import type { Destination, Inspect, PeopleDirectory, Search, Source, Swap } from './connector.ts'

export function searchOf({ search }: Destination): Search {
  return search ?? missing('this destination cannot be searched', 'Search the system that it writes to')
}

export function inspectOf({ inspect }: Destination): Inspect {
  const fix = 'Run the workflow with reprocess_all, which writes everything again'
  return inspect ?? missing('what this destination holds cannot be read back', fix)
}

export function swapOf({ swap }: Destination): Swap {
  return swap ?? missing('this kind of destination cannot be swapped', 'Switch swap_index off')
}

export function peopleOf({ people }: Source): PeopleDirectory {
  return people ?? missing('this source does not report the groups of a person', 'Name the groups instead')
}

export function levelsOf(source: Source): NonNullable<Source['levels']> {
  const fix = 'Look at the permissions of the document in the source'
  return source.levels?.bind(source) ?? missing('this source does not explain permissions', fix)
}

export function scopesOf(source: Source): NonNullable<Source['scopes']> {
  return source.scopes?.bind(source) ?? missing('this source does not list its scopes', 'Type their keys')
}

function missing(what: string, fix: string): never {
  throw new AppError('not_possible', what, { fix })
}
