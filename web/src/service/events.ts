export type ServerEvent = { id: string | undefined; event: string; data: string }

/**
 * Reads server-sent events. EventSource cannot send the workspace header. `id` returns as Last-Event-ID on
 * resume.
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
