import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { EngineOptions, StartedEngine } from './engine.ts'

const run = promisify(execFile)
const IMAGE = 'elasticsearch:8.19.21'
/** Ends the container when our end of standard input closes. */
const WHILE_INPUT_IS_OPEN = '/usr/local/bin/docker-entrypoint.sh eswrapper & cat >/dev/null; kill $!; wait'

export async function dockerWorks(): Promise<boolean> {
  return run('docker', ['version', '--format', '{{.Server.Version}}'], { timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

/** The official image, for a machine without a JDK. */
export async function startInDocker({
  heapMb,
  log,
  signal,
  password,
}: EngineOptions): Promise<StartedEngine> {
  const name = `millrace-search-${randomUUID().slice(0, 8)}`
  log(`starting ${IMAGE} in Docker; the first time it is pulled, which takes minutes …`)
  const settings = {
    'discovery.type': 'single-node',
    'xpack.security.enabled': 'true',
    'xpack.security.http.ssl.enabled': 'false',
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    ES_JAVA_OPTS: `-Xms${heapMb}m -Xmx${heapMb}m`,
  }
  const environment = Object.entries(settings).flatMap(([key, value]) => ['-e', `${key}=${value}`])
  const published = ['-p', '127.0.0.1::9200', '-e', 'ELASTIC_PASSWORD', '--entrypoint', 'sh']
  const child = spawn(
    'docker',
    ['run', '-i', '--rm', '--name', name, ...environment, ...published, IMAGE, '-c', WHILE_INPUT_IS_OPEN],
    {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { ...process.env, ELASTIC_PASSWORD: password },
    },
  )
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))

  while (child.exitCode === null && child.signalCode === null) {
    signal?.throwIfAborted()
    const port = await run('docker', ['port', name, '9200/tcp']).catch(() => null)
    const address = port?.stdout.trim().split('\n')[0]
    if (address) return { child, url: `http://${address}`, username: 'elastic' }
    await sleep(500, undefined, { signal })
  }
  throw new Error(`docker run ${IMAGE} ended with exit code ${child.exitCode}`)
}
