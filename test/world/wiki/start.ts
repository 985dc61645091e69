import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Commands } from './control.ts'
import type { Settings } from './model/settings.ts'

export interface WikiOptions {
  port?: number
  seed?: number
  spaces?: number
  pages?: number
  /** Instead of a generated wiki: one space with so many pages. */
  large?: number
  people?: number
  groups?: number
  /** Gives some pages comments; none by default. */
  comments?: boolean
  /** Gives pages macros of all kinds, own and of other pages. */
  includes?: boolean
  /** Adds accounts of every type, whiteboards and databases; none by default. */
  everyKind?: boolean
  /** `ordinary`: every page is below one to three folders, few of them restricted. */
  folders?: 'ordinary'
  latencyMs?: number
  /** `demo`: the hand-written sample instead of a generated wiki. */
  sample?: string
  settings?: Partial<Settings>
}

/** The control functions of control.ts, each as one HTTP call. */
export type Control = {
  [K in keyof Commands]: (...args: Parameters<Commands[K]>) => Promise<Awaited<ReturnType<Commands[K]>>>
}

export interface Wiki {
  /** With `/wiki`: the base of `rest/api` and `api/v2`. */
  cloudUrl: string
  /** Without it: the address that a user would type. */
  siteUrl: string
  gatewayUrl: string
  dataCenterUrl: string
  mediaUrl: string
  cloudId: string
  control: Control
  stop: () => Promise<void>
}

/** Starts the simulated wiki as a process and waits until it listens. */
export async function startWiki(options: WikiOptions = {}): Promise<Wiki> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('main.ts', import.meta.url)), ...argumentsOf(options)],
    {
      // Its standard input is our pipe: the wiki ends with this process.
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const urls = await readUrls(child)
  return { ...urls, control: createControl(urls.controlUrl), stop: () => stop(child) }
}

function argumentsOf(options: WikiOptions): string[] {
  const { settings, latencyMs, ...rest } = options
  const plain = Object.entries({ ...rest, latency: latencyMs }).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, String(value)],
  )
  return settings === undefined ? plain : [...plain, '--settings', JSON.stringify(settings)]
}

type UrlName = 'cloudUrl' | 'siteUrl' | 'gatewayUrl' | 'dataCenterUrl' | 'mediaUrl' | 'cloudId' | 'controlUrl'

async function readUrls(child: ChildProcess): Promise<Record<UrlName, string>> {
  const { stdout } = child
  if (stdout === null) throw new Error('the simulated wiki has no output to read')
  const lines = createInterface({ input: stdout })
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the simulated wiki ended with code ${code} before it listened`)
  })
  const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string]
  ended.catch(() => undefined)
  lines.close()
  stdout.resume()
  return JSON.parse(line)
}

function createControl(controlUrl: string): Control {
  const call = async (name: string, args: unknown[]): Promise<unknown> => {
    const response = await fetch(`${controlUrl}/${name}`, { method: 'POST', body: JSON.stringify(args) })
    const { value, error } = (await response.json()) as { value?: unknown; error?: string }
    if (error !== undefined) throw new Error(`wiki control ${name}: ${error}`)
    return value
  }
  const handler = {
    get: (_: object, name: string) =>
      name === 'then' ? undefined : (...args: unknown[]) => call(name, args),
  }
  // Every name is one HTTP call, typed by the server's functions.
  return new Proxy({}, handler) as Control
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
