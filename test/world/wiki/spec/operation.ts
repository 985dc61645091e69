/** What the vendor's documents declare of one operation: its path and the parameters of its query. */
export interface Operation {
  method: 'GET' | 'POST'
  path: string
  matcher: RegExp
  parameters: Record<string, Parameter>
  /** Why the wiki accepts an operation that is in no document. */
  known?: string
}

export interface Parameter {
  /** Why a value is wrong; undefined if it is not. */
  wrong: (value: string) => string | undefined
  /** One value, several by repeating the parameter, by commas, or either way. */
  list: 'one' | 'repeated' | 'commas' | 'either'
  max?: number
  isRequired?: boolean
  /** Why the wiki accepts a parameter that is in no document. */
  known?: string
}

export const text: Parameter = { wrong: () => undefined, list: 'one' }

export const flag: Parameter = oneOf('true', 'false')

export function oneOf(...values: string[]): Parameter {
  return {
    wrong: (value) => (values.includes(value) ? undefined : `is none of ${values.join(', ')}`),
    list: 'one',
  }
}

export function whole(from = 0, to = Number.POSITIVE_INFINITY): Parameter {
  return {
    wrong(value) {
      if (!/^-?\d+$/.test(value)) return 'is not a whole number'
      return Number(value) < from || Number(value) > to ? `is not between ${from} and ${to}` : undefined
    },
    list: 'one',
  }
}

/** `status=current&status=archived`; a comma is part of the value, and no value has one. */
export const repeated = (parameter: Parameter): Parameter => ({
  ...parameter,
  wrong: (value) =>
    value.includes(',') ? 'has a comma, but the parameter is repeated' : parameter.wrong(value),
  list: 'repeated',
})

/** `expand=version,space`. */
export const commas = (parameter: Parameter): Parameter => ({ ...parameter, list: 'commas' })

export const either = (parameter: Parameter, max?: number): Parameter => ({
  ...parameter,
  list: 'either',
  ...(max === undefined ? {} : { max }),
})

export const required = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true })

export const known = (reason: string, parameter: Parameter): Parameter => ({ ...parameter, known: reason })

/** `{id}` in a path matches one segment. */
export function operation(
  signature: `${'GET' | 'POST'} ${string}`,
  parameters: Record<string, Parameter> = {},
  reason?: string,
): Operation {
  const [method = '', path = ''] = signature.split(' ')
  const matcher = new RegExp(`^${path.replace(/\{[^}]+\}/g, '[^/]+')}/?$`)
  return {
    method: method === 'POST' ? 'POST' : 'GET',
    path,
    matcher,
    parameters,
    ...(reason === undefined ? {} : { known: reason }),
  }
}
