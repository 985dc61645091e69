import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino'
import { REDACTED, type RedactionRegistry } from './redaction.ts'
import { textLine } from './text-line.ts'

export type { Logger }

/** On every line. */
type LogFields = { role: string; host: string; pid: number; version: string }

/** Lines to standard output, as JSON or text, with secrets removed by field name and value. */
export function createLogger({
  level,
  secrets,
  fields = null,
  format = 'json',
  // On a terminal, console.log uses the same stream; with two, lines can change places.
  stream = process.stdout.isTTY ? process.stdout : pino.destination(1),
}: {
  level: string
  secrets: RedactionRegistry
  fields?: LogFields | null
  format?: 'json' | 'text'
  stream?: DestinationStream
}): Logger {
  return pino(
    {
      level,
      base: fields,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: {
        streamWrite: (line) => {
          const redacted = redactLine(line, secrets)
          return format === 'text' ? textLine(redacted) : redacted
        },
      },
    },
    stream,
  )
}

/** Nearly every line contains no secret and no name of one; only the others are parsed. */
function redactLine(line: string, secrets: RedactionRegistry): string {
  if (!secretField.test(line) && !secrets.contains(line)) return line
  try {
    return `${JSON.stringify(redact(JSON.parse(line), secrets))}\n`
  } catch {
    return `${JSON.stringify({ level: 'warn', msg: 'a line that could not be redacted was dropped' })}\n`
  }
}

/** A JSON key whose ending only secret fields have. */
const SECRET_SUFFIX =
  '(?:authorization|cookie|api[-_]?key|token|password|secret|master[-_]?key|database[-_]?url)'
const secretField = new RegExp(`${SECRET_SUFFIX}"\\s*:`, 'i')
const isSecretName = new RegExp(`${SECRET_SUFFIX}$`, 'i')

function redact(value: unknown, secrets: RedactionRegistry): unknown {
  if (typeof value === 'string') return secrets.redact(value)
  if (typeof value === 'number') return secrets.contains(String(value)) ? REDACTED : value
  if (Array.isArray(value)) return value.map((item) => redact(item, secrets))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const hidden = isSecretName.test(name) && item !== null && typeof item !== 'boolean'
      // Names come from the code; a secret such as `job_id` must not remove them.
      return [name, hidden ? REDACTED : redact(item, secrets)]
    }),
  )
}
