/** The parts of a JSON-RPC message that forwarding needs. */
export type Message = {
  jsonrpc?: unknown
  id?: string | number | null
  method?: string
  params?: { name?: unknown; uri?: unknown; requestId?: unknown; _meta?: Record<string, unknown> }
  result?: { protocolVersion?: unknown }
  error?: { code: number; message: string; data?: unknown }
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'

/** Headers that repeat parts of the message; `negotiated` is the version of a client that opened with `initialize`. */
export function headersOf({ method, params }: Message, negotiated: string | null): Record<string, string> {
  const own = params?._meta?.[VERSION_KEY]
  if (typeof own !== 'string') return negotiated ? { 'mcp-protocol-version': negotiated } : {}
  const name = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': encoded(own),
    ...(method ? { 'mcp-method': encoded(method) } : {}),
    ...(typeof name === 'string' ? { 'mcp-name': encoded(name) } : {}),
  }
}

export function errorFor({ id }: Message, message: string): Message {
  return { jsonrpc: '2.0', id: id ?? null, error: { code: -32000, message } }
}

/** Header values are ASCII without spaces at the ends. */
function encoded(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value)) return value
  return `=?base64?${Buffer.from(value).toString('base64')}?=`
}
