import { AppError } from '../../../errors.ts'
import type { MatchingQuery, Space } from '../client.ts'
import { statusOfError } from '../transport/transport.ts'

export function spacePagesCql({ space, cql: filter, ids }: MatchingQuery): string {
  const selected = ids ? ` and id in (${ids.join(',')})` : ''
  const pages = `space = ${quote(space.key)} and type in (page, blogpost)${selected}`
  return filter ? `${pages} and (${filter})` : pages
}

export function pageCountCql({ key }: Pick<Space, 'key'>): string {
  return `space = ${quote(key)} and type = page`
}

export function spaceCommentsCql({ key }: Space): string {
  return `space = ${quote(key)} and type = comment`
}

export function pageCommentsCql(pageIds: string[]): string {
  return `type = comment and container in (${pageIds.join(',')})`
}

/** Matches the start of a name. The user search accepts only `user` fields. */
export function peopleCql(text: string): string {
  return text ? `user.fullname ~ ${quote(text)}` : 'type = user'
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Only the filter that a person wrote can cause it. Data Center may answer 404. */
export function explainFilterError(filter: string | null) {
  return (error: unknown): never => {
    if (!filter || ![400, 404].includes(statusOfError(error) ?? 0)) throw error
    throw new AppError('source_filter_wrong', 'filtering pages: the wiki rejected the cql filter', {
      cause: error,
      fix: 'Try the filter in the search of the wiki, without "order by"',
    })
  }
}
