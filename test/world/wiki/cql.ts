import { Refusal } from './http.ts'
import { ancestorsOf, type Node, type World } from './model.ts'

/**
 * The part of CQL that readers of the wiki use: and, or, not, parentheses; = != in, not in, ~ and the
 * comparisons; order by. Whatever does not parse is a 400, as in the wiki.
 */
export interface Query {
  matches: (node: Node) => boolean
  compare: ((a: Node, b: Node) => number) | undefined
  orderName: string
}

export interface CqlContext {
  world: World
  /** Dates are read in the caller's own zone, by the minute. */
  timeZoneMinutes: number
}

type Test = (node: Node) => boolean

export function parseCql(text: string, context: CqlContext): Query {
  const reader = { tokens: tokenise(text), at: 0, context }
  const matches = peek(reader)?.lower === 'order' ? () => true : parseOr(reader)
  let compare: Query['compare']
  let orderName = 'id'
  if (take(reader, 'order')) {
    expect(reader, 'by')
    const keys: ((a: Node, b: Node) => number)[] = []
    orderName = ''
    do {
      const { lower: field } = next(reader)
      const key = sortKeys[field]
      if (key === undefined) throw badCql(`cannot order by ${field}`)
      const sign = take(reader, 'desc') ? -1 : 1
      if (sign === 1) take(reader, 'asc')
      keys.push((a, b) => sign * order(key(a), key(b)))
      orderName += `${field}${sign} `
    } while (take(reader, ','))
    compare = (a, b) => keys.reduce((found, key) => found || key(a, b), 0) || Number(a.id) - Number(b.id)
  }
  if (reader.at < reader.tokens.length) throw badCql(`unexpected ${peek(reader)?.text}`)
  return { matches, compare, orderName: orderName.trim() }
}

interface Token {
  text: string
  lower: string
  quoted: boolean
}

interface Reader {
  tokens: Token[]
  at: number
  context: CqlContext
}

const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|(>=|<=|!=|!~|[=<>~(),])|([^\s"'=<>!~(),]+))/y

function tokenise(text: string): Token[] {
  const tokens: Token[] = []
  pattern.lastIndex = 0
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const match = pattern.exec(text)
    if (match === null) throw badCql(`cannot read from character ${from}`)
    const quoted = match[1] ?? match[2]
    const word = quoted?.replaceAll(/\\(.)/g, '$1') ?? match[3] ?? match[4] ?? ''
    tokens.push({
      text: word,
      lower: quoted === undefined ? word.toLowerCase() : '',
      quoted: quoted !== undefined,
    })
  }
  if (tokens.length === 0) throw badCql('it is empty')
  return tokens
}

function parseOr(reader: Reader): Test {
  const tests = [parseAnd(reader)]
  while (take(reader, 'or')) tests.push(parseAnd(reader))
  return tests.length === 1 ? (tests[0] as Test) : (node) => tests.some((test) => test(node))
}

function parseAnd(reader: Reader): Test {
  const tests = [parseTerm(reader)]
  while (take(reader, 'and')) tests.push(parseTerm(reader))
  return tests.length === 1 ? (tests[0] as Test) : (node) => tests.every((test) => test(node))
}

function parseTerm(reader: Reader): Test {
  if (take(reader, 'not')) {
    const test = parseTerm(reader)
    return (node) => !test(node)
  }
  if (take(reader, '(')) {
    const test = parseOr(reader)
    expect(reader, ')')
    return test
  }
  const { lower: field } = next(reader)
  const negated = take(reader, 'not')
  const { lower: operator } = next(reader)
  const values = operator === 'in' ? parseList(reader) : [parseValue(reader)]
  const test = comparison({ field, operator, values }, reader.context)
  return negated ? (node) => !test(node) : test
}

function parseList(reader: Reader): string[] {
  expect(reader, '(')
  const values = [parseValue(reader)]
  while (take(reader, ',')) values.push(parseValue(reader))
  expect(reader, ')')
  return values
}

function parseValue(reader: Reader): string {
  const token = next(reader)
  if (!token.quoted && /^[=<>!~(),]+$/.test(token.text))
    throw badCql(`a value was expected, not ${token.text}`)
  if (token.lower !== 'now' || !take(reader, '(')) return token.text
  const shift = peek(reader)?.text === ')' ? '' : next(reader).text
  expect(reader, ')')
  return new Date(Date.now() + shiftMs(shift)).toISOString().slice(0, 16).replace('T', ' ')
}

interface Comparison {
  field: string
  operator: string
  values: string[]
}

function comparison({ field, operator, values }: Comparison, context: CqlContext): Test {
  const { world } = context
  const readDate = dateFields[field]
  if (readDate !== undefined) {
    const wanted = minuteOf(values[0] ?? '', context.timeZoneMinutes)
    return (node) => compareBy(operator, Math.floor(Date.parse(readDate(node)) / 60_000) - wanted)
  }
  if (operator === '~' || operator === '!~') {
    const words = (values[0] ?? '').toLowerCase().replaceAll('*', '').split(/\s+/)
    const read = textFields[field]
    if (read === undefined) throw badCql(`${field} does not support ${operator}`)
    return (node) => words.every((word) => read(node).toLowerCase().includes(word)) === (operator === '~')
  }
  const read = valueFields(world)[field]
  if (read === undefined) throw badCql(`no field exists with name '${field}'`)
  if (operator !== '=' && operator !== '!=' && operator !== 'in')
    throw badCql(`${field} does not support ${operator}`)
  const wanted = new Set(values.map((value) => (field === 'id' ? value : value.toLowerCase())))
  return (node) => {
    const found = read(node)
    const hit = typeof found === 'string' ? wanted.has(found) : found.some((value) => wanted.has(value))
    return operator === '!=' ? !hit : hit
  }
}

const dateFields: Record<string, (node: Node) => string> = {
  lastmodified: (node) => node.version.when,
  created: (node) => node.createdAt,
}

const textFields: Record<string, (node: Node) => string> = {
  title: (node) => node.title,
  text: (node) => `${node.title} ${node.body.view.replaceAll(/<[^>]*>/g, ' ')}`,
}

const valueFields = (world: World): Record<string, (node: Node) => string | string[]> => ({
  space: (node) => world.spaces.get(node.spaceId)?.key.toLowerCase() ?? '',
  'space.key': (node) => world.spaces.get(node.spaceId)?.key.toLowerCase() ?? '',
  type: (node) => node.kind,
  id: (node) => node.id,
  content: (node) => node.id,
  title: (node) => node.title.toLowerCase(),
  label: (node) => node.labels,
  creator: (node) => node.authorId.toLowerCase(),
  parent: (node) => node.parentId ?? '',
  ancestor: (node) => ancestorsOf(world, node).map(({ id }) => id),
})

const sortKeys: Record<string, (node: Node) => number | string> = {
  lastmodified: (node) => Date.parse(node.version.when),
  created: (node) => Date.parse(node.createdAt),
  title: (node) => node.title.toLowerCase(),
  id: (node) => Number(node.id),
}

function minuteOf(text: string, timeZoneMinutes: number): number {
  const match = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?$/.exec(text)
  if (match === null) throw badCql(`'${text}' is no date of the form yyyy-MM-dd HH:mm`)
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

function shiftMs(text: string): number {
  if (text === '') return 0
  const match = /^([+-]?\d+)([mhdw])$/.exec(text)
  if (match === null) throw badCql(`now(${text})`)
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[match[2] as 'm' | 'h' | 'd' | 'w']
  return Number(match[1]) * unit
}

const order = (a: number | string, b: number | string): number => (a < b ? -1 : a > b ? 1 : 0)
const peek = (reader: Reader): Token | undefined => reader.tokens[reader.at]

function next(reader: Reader): Token {
  const token = reader.tokens[reader.at++]
  if (token === undefined) throw badCql('it ends too early')
  return token
}

function take(reader: Reader, word: string): boolean {
  if (peek(reader)?.lower !== word) return false
  reader.at++
  return true
}

function expect(reader: Reader, word: string): void {
  if (!take(reader, word)) throw badCql(`${word} was expected`)
}

const badCql = (why: string): Refusal => new Refusal(400, `Could not parse cql : ${why}`)
