import { WikiError } from '../http.ts'
import { ancestorNodes, type Content, pageOf, type SiteName, type World } from '../model/model.ts'
import { numberOf } from '../paging.ts'
import { plainText } from '../render/storage-tree.ts'

/** The fields of CQL and how they compare. */
export interface CqlContext {
  world: World
  site: SiteName
  accountId: string
  /** The caller's time zone, to the minute. */
  timeZoneMinutes: number
}

export interface Comparison {
  field: string
  operator: string
  values: string[]
}

export function comparison(
  { field, operator, values }: Comparison,
  context: CqlContext,
): (content: Content) => boolean {
  const readDate = dateFields[field]
  if (readDate !== undefined) {
    const wanted = minuteOf(values[0] ?? '', context.timeZoneMinutes)
    return (content) => compareBy(operator, Math.floor(Date.parse(readDate(content)) / 60_000) - wanted)
  }
  if (operator === '~' || operator === '!~') {
    const words = (values[0] ?? '').toLowerCase().replaceAll('*', '').split(/\s+/)
    const read = textFields[field]
    if (read === undefined) throw badCql(`${field} does not support ${operator}`)
    return (content) =>
      words.every((word) => read(content).toLowerCase().includes(word)) === (operator === '~')
  }
  const read = valueFields(context)[field]
  if (read === undefined) throw badCql(`no field exists with name '${field}'`)
  if (operator !== '=' && operator !== '!=' && operator !== 'in')
    throw badCql(`${field} does not support ${operator}`)
  const wanted = new Set(values.map((value) => value.toLowerCase()))
  return (content) => {
    const found = read(content)
    const hit = typeof found === 'string' ? wanted.has(found) : found.some((value) => wanted.has(value))
    return operator === '!=' ? !hit : hit
  }
}

const dateFields: Record<string, (content: Content) => string> = {
  lastmodified: (content) => content.version.when,
  created: (content) => content.createdAt,
}

const textFields: Record<string, (content: Content) => string> = {
  title: (content) => content.title,
  text: (content) =>
    content.kind === 'attachment'
      ? `${content.title} ${content.comment}`
      : `${content.title} ${plainText(content.body.storage)}`,
}

/** Lowercase, like the values; attachment ids match with and without `att`. */
function valueFields({ world, site }: CqlContext): Record<string, (content: Content) => string | string[]> {
  const space = (content: Content) =>
    world.spaces.get(pageOf(world, content)?.spaceId ?? '')?.key.toLowerCase() ?? ''
  const id = (content: Content) =>
    content.kind === 'attachment' ? [content.id, content.id.slice(3)] : content.id
  return {
    space,
    'space.key': space,
    type: (content) => content.kind,
    id,
    content: id,
    container: (content) => ('pageId' in content ? content.pageId : []),
    title: (content) => content.title.toLowerCase(),
    label: (content) => ('labels' in content ? content.labels : []),
    creator: (content) => {
      const person = site === 'dataCenter' ? world.people.get(content.authorId) : undefined
      const names = person === undefined ? [] : [person.username, person.userKey]
      return [content.authorId, ...names].map((name) => name.toLowerCase())
    },
    parent: (content) => (content.kind === 'attachment' ? [] : (content.parentId ?? [])),
    ancestor: (content) =>
      'pageId' in content ? [] : ancestorNodes(world, content, site).map((above) => above.id),
  }
}

export const sortKeys: Record<string, (content: Content) => number | string> = {
  lastmodified: (content) => Date.parse(content.version.when),
  created: (content) => Date.parse(content.createdAt),
  title: (content) => content.title.toLowerCase(),
  id: (content) => numberOf(content.id),
}

export const order = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)

export const badCql = (why: string): WikiError => new WikiError(400, `Could not parse cql : ${why}`)

function minuteOf(text: string, timeZoneMinutes: number): number {
  const match = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?$/.exec(text)
  if (match === null) throw badCql(`'${text}' is not a date of the form yyyy-MM-dd HH:mm`)
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = match.slice(1).map((part) => Number(part ?? 0))
  return Date.UTC(year, month - 1, day, hour, minute) / 60_000 - timeZoneMinutes
}

function compareBy(operator: string, difference: number): boolean {
  switch (operator) {
    case '=':
      return difference === 0
    case '!=':
      return difference !== 0
    case '>':
      return difference > 0
    case '>=':
      return difference >= 0
    case '<':
      return difference < 0
    case '<=':
      return difference <= 0
    default:
      throw badCql(`a date does not support ${operator}`)
  }
}
