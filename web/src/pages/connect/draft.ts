import type { Field, Value, Values } from '../../schema-form/schema.ts'
import type { ConnectorDraft } from '../connectors/types.ts'

/** What is typed but not saved, for a reload of this tab; never a secret. */
export function readDraft(key: string): ConnectorDraft | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(key) ?? 'null') as ConnectorDraft | null
    return stored?.values ? stored : undefined
  } catch {
    return undefined
  }
}

export function writeDraft(key: string, draft: ConnectorDraft, fields: Field[]): void {
  try {
    sessionStorage.setItem(key, JSON.stringify({ ...draft, values: withoutSecrets(fields, draft.values) }))
  } catch {
    // A full or forbidden storage only loses the draft.
  }
}

/** Only known fields, none with a secret, and no user name or password of a URL. */
export function withoutSecrets(fields: Pick<Field, 'name' | 'kind'>[], values: Values): Values {
  const plain = fields.filter(({ kind }) => kind !== 'secret').map(({ name }) => name)
  return Object.fromEntries(
    Object.entries(values)
      .filter(([name]) => plain.includes(name))
      .map(([name, value]) => [name, withoutUserInfo(value)]),
  )
}

function withoutUserInfo(value: Value): Value {
  if (Array.isArray(value)) return value.map((each) => each.replace(USER_INFO, '$1'))
  return typeof value === 'string' ? value.replace(USER_INFO, '$1') : value
}

const USER_INFO = /(\b[a-z][a-z\d+.-]*:\/\/)[^\s/?#]*@/gi

/** The values that the guide fills in. */
export function suggestedValues(fields: Pick<Field, 'name' | 'suggested'>[]): Values {
  return Object.fromEntries(
    fields.flatMap(({ name, suggested }) => (typeof suggested === 'string' ? [[name, suggested]] : [])),
  )
}

/** The name, or the name with the first free number. */
export function freeName(name: string, taken: string[]): string {
  const lower = taken.map((each) => each.toLowerCase())
  const names = [name, ...taken.map((_, index) => `${name} ${index + 2}`)]
  return names.find((each) => !lower.includes(each.toLowerCase())) ?? `${name} ${taken.length + 2}`
}
