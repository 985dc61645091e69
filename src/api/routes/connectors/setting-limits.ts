import { invalid } from '../../../errors.ts'
import { WORKSPACE_LIMITS } from '../../../store/workspace-limits.ts'

/** Longer values of a field are shortened in lists. */
const LISTED_BYTES = 4096
/** Ends a shortened value. No space key, label or address contains it. */
const SHORTENED = '…[shortened: '

type Settings = Record<string, unknown>

/** Refuses settings that are too long, and shortened values, because storing them would lose the rest. */
export function checkSettings(input: Settings): void {
  const bytes = bytesOf(input)
  const limit = WORKSPACE_LIMITS.connectorBytes
  if (bytes > limit) {
    const [longest = ''] = Object.keys(input).sort((a, b) => bytesOf(input[b]) - bytesOf(input[a]))
    const all = `the settings have ${bytes} bytes, the limit is ${limit}`
    throw invalid(['body', 'config', longest], `${longest} is too long: ${all}`, 'too_long')
  }
  for (const [name, value] of Object.entries(input))
    if ([value].flat().some((each) => typeof each === 'string' && each.includes(SHORTENED)))
      throw invalid(
        ['body', 'config', name],
        `${name} is the shortened value of a list; GET the connector by its id for the whole value`,
      )
}

export function checkNodes(nodes: unknown, loc: (string | number)[]): void {
  const [bytes, limit] = [bytesOf(nodes), WORKSPACE_LIMITS.nodeBytes]
  if (bytes > limit)
    throw invalid(loc, `the nodes have ${bytes} bytes of settings, the limit is ${limit}`, 'too_long')
}

/** Replaces values that a list has shortened by the stored ones, as with masked secrets. */
export function wholeSettings(input: Settings, stored: Settings): Settings {
  const listed = shortened(stored)
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const isListed = name in listed && JSON.stringify(value) === JSON.stringify(listed[name])
      return [name, isListed ? stored[name] : value]
    }),
  )
}

/** Settings as a list shows them. */
export function shortened(config: Settings): Settings {
  return Object.fromEntries(Object.entries(config).map(([name, value]) => [name, shortValue(value)]))
}

function shortValue(value: unknown): unknown {
  if (bytesOf(value) <= LISTED_BYTES) return value
  if (typeof value === 'string')
    return `${value.slice(0, LISTED_BYTES)}${SHORTENED}${value.length - LISTED_BYTES} more characters]`
  if (!Array.isArray(value)) return value
  let [count, bytes] = [0, 0]
  while (bytes + bytesOf(value[count]) <= LISTED_BYTES) bytes += bytesOf(value[count++])
  return [...value.slice(0, count), `${SHORTENED}${value.length - count} more]`]
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}
