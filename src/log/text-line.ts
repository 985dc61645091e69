/** A redacted JSON line as one line for a person. Values stay JSON, so a message can neither break the line nor the terminal. */
export function textLine(json: string): string {
  const { time, level, msg, err, role, host, pid, version, ...fields } = JSON.parse(json) as Fields
  const shown = { ...fields, ...(err ? { err: errorText(err) } : {}) }
  const parts = [
    String(time ?? ''),
    String(level ?? '').padEnd(5),
    printable(String(msg ?? '')),
    ...Object.entries(shown).map(([name, value]) => `${printable(name)}=${valueText(value)}`),
    ...(role ? [printable(`[${role} ${host} ${pid} ${version}]`)] : []),
  ]
  return `${parts.join(' ')}\n`
}

type Fields = Record<string, unknown>

function valueText(value: unknown): string {
  const isPlain = typeof value === 'string' && /^[\w./:@+-]+$/.test(value)
  return isPlain ? value : printable(JSON.stringify(value))
}

/** The message and the first place in our code; the stack is in the JSON form. */
function errorText(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { type, message, code, stack } = error as Fields
  const at = /\bsrc\/[^\s)]+/.exec(String(stack ?? ''))?.[0]
  return [code ?? type, message, at].filter(Boolean).join(': ')
}

/** Escapes control characters, which include those that end a line or change a terminal. */
function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u${character.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
}
