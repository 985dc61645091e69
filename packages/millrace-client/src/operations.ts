import { MillraceError } from './errors.ts'
import type { Operations } from './schema.ts'
import { parse, type QueryValues, type Send, type SendOptions } from './transport.ts'

/** `GET /api/v1/sources/{id}` and so on, as in the OpenAPI document. */
export type OperationName = keyof Operations

type Part<Name extends string, Value> = [Value] extends [undefined]
  ? { [Key in Name]?: undefined }
  : undefined extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value }

export type CallOptions = { signal?: AbortSignal | undefined; headers?: Record<string, string> | undefined }

export type RequestOptions<Name extends OperationName> = CallOptions &
  Pick<SendOptions, 'isSafe'> &
  Part<'path', Operations[Name]['path']> &
  Part<'query', Operations[Name]['query']> &
  Part<'body', Operations[Name]['body']>

export type ResponseOf<Name extends OperationName> = Operations[Name]['response']
export type BodyOf<Name extends OperationName> = Exclude<Operations[Name]['body'], undefined>
export type QueryOf<Name extends OperationName> = Exclude<Operations[Name]['query'], undefined>

/** Options are optional where every part of them is. */
export type RequestArguments<Name extends OperationName> =
  Record<string, never> extends RequestOptions<Name>
    ? [options?: RequestOptions<Name>]
    : [options: RequestOptions<Name>]

export type Request = <Name extends OperationName>(
  operation: Name,
  ...rest: RequestArguments<Name>
) => Promise<ResponseOf<Name>>

/** Calls any operation with the types of the document. */
export function createRequest(send: Send): Request {
  return async (operation, ...[options]) => {
    // The conditional types above cannot be resolved here.
    const { path, query, ...sending } = (options ?? {}) as SendOptions & { path?: Record<string, string> }
    const [method = '', template = ''] = operation.split(' ')
    const response = await send(method, fill(template, path), { ...sending, query: query as QueryValues })
    const text = await response.text().catch((cause: unknown) => {
      sending.signal?.throwIfAborted()
      throw new MillraceError(operation, { status: 0, cause })
    })
    return contentOf(operation, response, text) as never
  }
}

/** The service sends no pages; those of a proxy must not pass for a result. */
function contentOf(operation: string, { status, headers }: Response, text: string): unknown {
  const type = headers.get('content-type') ?? ''
  if (text === '') return undefined
  if (!type.includes('json') && !type.includes('html')) return text
  const value = type.includes('json') ? parse(text) : undefined
  if (value !== undefined) return value
  const detail = 'the response is not JSON; does the address belong to Millrace?'
  throw new MillraceError(operation, { status, body: { detail } })
}

export function fill(template: string, values: Record<string, string> = {}): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    // An empty id would address the collection, and dots another route.
    if (!value || value === '.' || value === '..') throw new TypeError(`${template} needs ${name}`)
    return encodeURIComponent(value)
  })
}
