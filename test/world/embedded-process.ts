import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { startEmbeddedPostgres } from '../../src/store/embedded/start.ts'

/** A process with an embedded PostgreSQL. Prints JSON when ready; `exit` on its input leaves the server running. */
const { values } = parseArgs({
  options: { dataDir: { type: 'string' }, sharedDir: { type: 'string' }, packageDir: { type: 'string' } },
})

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())

try {
  const { stop, ...server } = await startEmbeddedPostgres({
    dataDir: values.dataDir!,
    log: pino({ level: 'silent' }),
    signal: stopping.signal,
    ...(values.sharedDir && { sharedDir: values.sharedDir }),
    ...(values.packageDir && { packageDir: values.packageDir }),
  })
  console.log(JSON.stringify(server))
  process.stdin.once('data', () => process.exit(0))
  if (!stopping.signal.aborted) await once(stopping.signal, 'abort')
  await stop()
  process.exit(0)
} catch (error) {
  if (stopping.signal.aborted) process.exit(3)
  console.error(error)
  process.exit(1)
}
