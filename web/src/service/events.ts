export type ServerEvent = { id: string | undefined; event: string; data: string }

/**
 * Server-sent events out of a response. The browser's own EventSource cannot send a header, and without one the
 * service does not know which workspace is meant. `id` goes back as Last-Event-ID when the stream is opened again.
 */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return
  let rest = ''
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    rest += text
    const blocks = rest.split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = parsed(block)
      if (event) yield event
    }
  }
}

function parsed(block: string): ServerEvent | undefined {
  let event = 'message'
  let id: string | undefined
  const data: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const [, name, value = ''] = /^([a-z]+):? ?(.*)$/.exec(line) ?? []
    if (name === 'event') event = value
    else if (name === 'id') id = value
    else if (name === 'data') data.push(value)
  }
  return data.length > 0 ? { id, event, data: data.join('\n') } : undefined
}
