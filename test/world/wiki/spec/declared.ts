import { endpointOf } from '../counters.ts'
import { v1Error, v2Error, WikiError, type WikiResponse } from '../http.ts'
import type { SiteName, World } from '../model/model.ts'
import { cloudV1Operations } from './cloud-v1.ts'
import { cloudV2Operations } from './cloud-v2.ts'
import { dataCenterOperations } from './data-center.ts'
import type { Operation, Parameter } from './operation.ts'

/** A request, or a part of one, that the vendor's documents do not declare. */
export interface Refusal {
  site: SiteName
  /** As declared, or as requested if no document has it. */
  operation: string
  parameter: string | null
  value: string | null
  reason: string
  requests: number
}

export interface Declared {
  /** Records the request; returns the refusal that the site should send. */
  check: (site: SiteName, request: { method: string; url: string }) => WikiResponse | undefined
  refusals: () => Refusal[]
  /** Requests by declared operation. */
  operations: () => Record<SiteName, Record<string, number>>
  reset: () => void
}

/** Compares requests with the tables of operations. Undeclared operations are recorded and then served. */
export function createDeclared(world: World): Declared {
  let refusals = new Map<string, Refusal>()
  let operations = noOperations()
  const record = (refusal: Omit<Refusal, 'requests'>): void => {
    const key = JSON.stringify(refusal)
    refusals.set(key, { ...refusal, requests: (refusals.get(key)?.requests ?? 0) + 1 })
  }
  return {
    check(site, { method, url }) {
      const { path, query } = localOf(world, site, url)
      if (site === 'media') return undefined
      const found = tables[site].find((each) => each.method === method && each.matcher.test(path))
      if (found === undefined) {
        const place = { site, operation: endpointOf(method, path), parameter: null, value: null }
        record({ ...place, reason: 'the operation is not declared' })
        return undefined
      }
      const name = `${method} ${found.path}`
      operations[site][name] = (operations[site][name] ?? 0) + 1
      const problems = problemsOf(found, query)
      for (const problem of problems) record({ site, operation: name, ...problem })
      const [first] = problems
      if (first === undefined || world.settings.undeclared === 'served') return undefined
      const message = `Parameter ${first.parameter}${first.value === null ? '' : ` with value ${first.value}`} ${first.reason}`
      return (path.startsWith('/wiki/api/v2/') ? v2Error : v1Error)(new WikiError(400, message))
    },
    refusals: () => [...refusals.values()],
    operations: () => operations,
    reset() {
      refusals = new Map()
      operations = noOperations()
    },
  }
}

const tables: Record<'cloud' | 'dataCenter', readonly Operation[]> = {
  cloud: [...cloudV1Operations, ...cloudV2Operations],
  dataCenter: dataCenterOperations,
}

const noOperations = (): Record<SiteName, Record<string, number>> => ({
  cloud: {},
  dataCenter: {},
  media: {},
})

/** Without the gateway or the context path. */
function localOf(world: World, site: SiteName, url: string): { path: string; query: URLSearchParams } {
  const [whole = '', search = ''] = url.split('?')
  const { dcContext } = world.settings
  const path =
    site === 'cloud'
      ? whole.replace(/^\/ex\/confluence\/[^/]+/, '')
      : whole.startsWith(dcContext)
        ? whole.slice(dcContext.length)
        : whole
  return { path, query: new URLSearchParams(search) }
}

type Problem = Pick<Refusal, 'parameter' | 'value' | 'reason'>

function problemsOf({ parameters }: Operation, query: URLSearchParams): Problem[] {
  const sent = [...new Set(query.keys())].flatMap((name) => {
    const declared = parameters[name]
    if (declared === undefined) return [{ parameter: name, value: null, reason: 'is not declared' }]
    return wrongValues(declared, query.getAll(name)).map((problem) => ({ parameter: name, ...problem }))
  })
  const missing = Object.entries(parameters)
    .filter(([name, { isRequired }]) => isRequired && !query.has(name))
    .map(([name]) => ({ parameter: name, value: null, reason: 'is required' }))
  return [...sent, ...missing]
}

function wrongValues({ list, wrong, max = Number.POSITIVE_INFINITY }: Parameter, sent: string[]) {
  if (sent.length > 1 && (list === 'one' || list === 'commas'))
    return [{ value: null, reason: 'is given more than once' }]
  const values = list === 'commas' || list === 'either' ? sent.flatMap((value) => value.split(',')) : sent
  if (values.length > max) return [{ value: null, reason: `has more than ${max} values` }]
  return values.flatMap((value) => {
    const reason = wrong(value)
    return reason === undefined ? [] : [{ value, reason }]
  })
}
