import { AppError } from '../errors.ts'
import type { Destination, ElementReader, IndexCreation, Swap } from './destination.ts'
import type { Search } from './search.ts'
import type { PeopleDirectory, Source } from './source.ts'

export function searchOf({ search }: Destination): Search {
  return search ?? notSupported('this destination cannot be searched', 'Search the system that it writes to')
}

export function nativeOf(search: Search): NonNullable<Search['native']> {
  const fix = 'Send the search to this service instead'
  return search.native?.bind(search) ?? notSupported('this destination has no query language of its own', fix)
}

export function inspectOf({ inspect }: Destination): ElementReader {
  const fix = 'Run the workflow with reprocess_all, which writes everything again'
  return inspect ?? notSupported('the elements of this destination cannot be read', fix)
}

export function swapOf({ swap }: Destination): Swap {
  return swap ?? notSupported('this kind of destination cannot be swapped', 'Switch swap_index off')
}

export function creationOf({ create }: Destination): IndexCreation {
  return (
    create ?? notSupported('this kind of destination creates its index with the first job', 'Run a workflow')
  )
}

export function peopleOf({ people }: Source): PeopleDirectory {
  return (
    people ?? notSupported('this source does not report the groups of a person', 'Name the groups instead')
  )
}

export function emailsOf(source: Source): NonNullable<Source['emails']> {
  return (
    source.emails?.bind(source) ??
    notSupported('this source does not show the addresses of people', 'Import a table of identities')
  )
}

export function ownAccountOf(source: Source): NonNullable<Source['ownAccount']> {
  return (
    source.ownAccount?.bind(source) ??
    notSupported('accounts of this source cannot be linked', 'Import a table of identities')
  )
}

export function levelsOf(source: Source): NonNullable<Source['levels']> {
  const fix = 'Check the permissions of the document in the source'
  return source.levels?.bind(source) ?? notSupported('this source does not explain permissions', fix)
}

export function scopesOf(source: Source): NonNullable<Source['scopes']> {
  return (
    source.scopes?.bind(source) ?? notSupported('this source does not list its scopes', 'Type their keys')
  )
}

function notSupported(what: string, fix: string): never {
  throw new AppError('not_possible', what, { fix })
}
