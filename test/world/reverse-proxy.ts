import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IssuedCertificate } from './certificates.ts'
import { provideServer } from './debian-packages.ts'
import { until } from './flow.ts'

export type ProxyName = 'nginx' | 'caddy'
export type ReverseProxy = { url: string; stop(): Promise<void> }

const DOCS = join(import.meta.dirname, '../../docs/reverse-proxy.md')

/** A real proxy with the snippet of docs/reverse-proxy.md; only name, ports and files are replaced. */
export async function startReverseProxy(
  name: ProxyName,
  to: string,
  { key, certificate }: IssuedCertificate,
): Promise<ReverseProxy> {
  const program = await provideServer(name, name)
  const folder = await mkdtemp(join(tmpdir(), `millrace-${name}-`))
  const port = await freePort()
  const files = { certificate: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  await writeFile(files.certificate, certificate)
  await writeFile(files.key, key)
  const snippet = await snippetOf(name)
  const text = snippet
    .replaceAll('/etc/ssl/certs/tools.example.com.pem', files.certificate)
    .replaceAll('/etc/ssl/private/tools.example.com.key', files.key)
    .replaceAll('127.0.0.1:8080', new URL(to).host)
  const config = join(folder, 'config')
  await writeFile(config, wholeConfig[name](text, { port, folder }))
  const args =
    name === 'nginx'
      ? ['-c', config, '-p', folder, '-e', 'stderr']
      : ['run', '--adapter', 'caddyfile', '--config', config]
  const child = spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, HOME: folder },
  })
  let log = ''
  child.stderr.on('data', (data) => {
    log += data
  })
  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
    child.kill('SIGTERM')
    await ended
    await rm(folder, { recursive: true, force: true })
  }
  const url = `https://localhost:${port}/millrace`
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${log}`)
    return fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  await until(answers, (isReady) => isReady).catch(async (error) => {
    await stop()
    throw new Error(`${name} does not answer: ${log}`, { cause: error })
  })
  return { url, stop }
}

const wholeConfig: Record<ProxyName, (snippet: string, at: { port: number; folder: string }) => string> = {
  nginx: (snippet, { port, folder }) => `daemon off;
master_process off;
pid ${folder}/pid;
events {}
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${folder}/${each};`).join('\n  ')}
  ${snippet.replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`).replace('server_name tools.example.com', 'server_name localhost')}
}
`,
  caddy: (snippet, { port }) => `{
  admin off
  auto_https disable_redirects
}
${snippet.replace('tools.example.com {', `https://localhost:${port} {\n  bind 127.0.0.1`)}`,
}

async function snippetOf(name: ProxyName): Promise<string> {
  const [, snippet] =
    new RegExp(`\`\`\`${name}\\n([\\s\\S]+?)\`\`\``).exec(await readFile(DOCS, 'utf8')) ?? []
  if (!snippet) throw new Error(`docs/reverse-proxy.md has no snippet for ${name}`)
  return snippet
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
