import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createForwarder } from './forward.ts'
import type { Message } from './message.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'

const HELP = `millrace-mcp connects an assistant over stdio to the search of a Millrace service.

It takes its settings from the environment:
  MILLRACE_URL           the address of Millrace, such as https://millrace.example.com
  MILLRACE_TOKEN         a personal token, or a search key together with MILLRACE_PERSON_TOKEN
  MILLRACE_PERSON_TOKEN  a token of the identity provider that names the person
`

const [argument] = process.argv.slice(2)
if (argument === '--help' || argument === '-h') process.stdout.write(HELP)
else if (argument === '--version') process.stdout.write(`${version()}\n`)
else if (argument !== undefined) stop(`unknown argument ${argument}; see --help`)
else start()

function start(): void {
  try {
    serve(readSettings(process.env))
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    stop(error.message)
  }
}

/** One JSON message per line in both directions; ends with its input. */
function serve(settings: Settings): void {
  const send = (message: Message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  const forwarder = createForwarder(settings, send)
  const input = createInterface({ input: process.stdin })
  input.on('line', (line) => {
    const message = parse(line)
    if (message) void forwarder.forward(message)
    else if (line.trim())
      send({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'the line is not a JSON message' } })
  })
  input.on('close', forwarder.close)
  // The client may end first.
  process.stdout.on('error', () => process.exit())
}

function parse(line: string): Message | null {
  try {
    const parsed = JSON.parse(line)
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : null
  } catch {
    return null
  }
}

function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

function stop(reason: string): void {
  process.stderr.write(`millrace-mcp: ${reason}\n`)
  process.exitCode = 2
}
