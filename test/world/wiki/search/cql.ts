import type { Content } from '../model/model.ts'
import { byNumber } from '../paging.ts'
import { badCql, type CqlContext, comparison, order, sortKeys } from './cql-fields.ts'

/**
 * The part of CQL that clients use: and, or, not, parentheses, comparisons, in, ~, order by. Anything else is
 * a 400, as in the wiki.
 */
export interface CqlQuery {
  matches: (content: Content) => boolean
  compare: ((a: Content, b: Content) => number) | undefined
  orderName: string
  /** Limits the candidates to values that the query names at its top level. */
  only: Narrowing
}

export interface Narrowing {
  type?: string[]
  id?: string[]
  container?: string[]
}

type Test = (content: Content) => boolean

export function parseCql(text: string, context: CqlContext): CqlQuery {
  const reader: Reader = { tokens: tokenise(text), at: 0, context, only: {}, depth: 0 }
  const matches = peek(reader)?.lower === 'order' ? () => true : parseOr(reader)
  let compare: CqlQuery['compare']
  let orderName = 'id'
  if (take(reader, 'order')) {
    expect(reader, 'by')
    const keys: ((a: Content, b: Content) => number)[] = []
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
    compare = (a, b) => keys.reduce((found, key) => found || key(a, b), 0) || byNumber(a, b)
  }
  if (reader.at < reader.tokens.length) throw badCql(`unexpected ${peek(reader)?.text}`)
  return { matches, compare, orderName: orderName.trim(), only: reader.only }
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
  only: Narrowing
  /** Depth of parentheses and negations; only clauses at depth 0 narrow. */
  depth: number
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
  while (take(reader, 'or')) {
    tests.push(parseAnd(reader))
    if (reader.depth === 0) reader.only = {}
  }
  return tests.length === 1 ? (tests[0] as Test) : (content) => tests.some((test) => test(content))
}

function parseAnd(reader: Reader): Test {
  const tests = [parseTerm(reader)]
  while (take(reader, 'and')) tests.push(parseTerm(reader))
  return tests.length === 1 ? (tests[0] as Test) : (content) => tests.every((test) => test(content))
}

function parseTerm(reader: Reader): Test {
  const first = reader.at === 0
  const refuseFirst = (negative: boolean) => {
    if (first && negative) throw badCql('a negative expression cannot be the first clause')
  }
  if (take(reader, 'not')) {
    refuseFirst(true)
    const test = inside(reader, parseTerm)
    return (content) => !test(content)
  }
  if (take(reader, '(')) {
    const test = inside(reader, parseOr)
    expect(reader, ')')
    return test
  }
  const { lower: field } = next(reader)
  const negated = take(reader, 'not')
  const { lower: operator } = next(reader)
  refuseFirst(negated || operator === '!=' || operator === '!~')
  const values = operator === 'in' ? parseList(reader) : [parseValue(reader)]
  const test = comparison({ field, operator, values }, reader.context)
  if (negated) return (content) => !test(content)
  const narrows = field === 'type' || field === 'id' || field === 'container'
  if (narrows && reader.depth === 0 && operator !== '!=') reader.only[field] = values
  return test
}

function inside(reader: Reader, parse: (reader: Reader) => Test): Test {
  reader.depth++
  const test = parse(reader)
  reader.depth--
  return test
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
  if (token.lower === 'currentuser' && take(reader, '(')) {
    expect(reader, ')')
    return reader.context.accountId
  }
  if (token.lower !== 'now' || !take(reader, '(')) return token.text
  const shift = peek(reader)?.text === ')' ? '' : next(reader).text
  expect(reader, ')')
  return new Date(Date.now() + shiftMs(shift)).toISOString().slice(0, 16).replace('T', ' ')
}

function shiftMs(text: string): number {
  if (text === '') return 0
  const match = /^([+-]?\d+)([mhdw])$/.exec(text)
  if (match === null) throw badCql(`now(${text})`)
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[match[2] as 'm' | 'h' | 'd' | 'w']
  return Number(match[1]) * unit
}

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
