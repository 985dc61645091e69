import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { importsOf } from '../../test/layers.ts'
import { localConnectors } from '../connectors/registry.ts'
import { commandLine } from './command-line.ts'
import { commands } from './commands.ts'
import { connectorFlags } from './flags.ts'

test('it prints help for every form of the request, at most 100 columns wide', async () => {
  const { out } = await runCli('--help')
  for (const args of [[], ['-h'], ['help']])
    assert.deepEqual(await runCli(...args), { code: 0, out, err: '' })
  for (const { name } of commands) {
    assert.match(out, new RegExp(`^ {2}${name} `, 'm'))
    const own = await runCli(name, '--help')
    assert.equal(own.code, 0)
    assert.deepEqual(await runCli('help', name), own)
    for (const line of (out + own.out).split('\n')) assert.ok(line.length <= 100, line)
  }
})

test('it names every flag of a command in its help', async () => {
  const { out } = await runCli('run', '--help')
  const flags = connectorFlags(localConnectors).map(({ name }) => name)
  assert.ok(flags.length > 15)
  for (const name of [...flags, 'state', 'nodes', 'source-type', 'json', 'quiet', 'approve-deletions'])
    assert.match(out, new RegExp(`^ {2}--${name}( |$)`, 'm'))
  assert.ok(!(await runCli('schema', '--help')).out.includes('--source-url'))
})

test('it loads no connector for the general help', async () => {
  const reached = new Set(['src/cli/main.ts', 'src/cli/command-line.ts', 'src/cli/help/help.ts'])
  for (const path of reached) {
    const text = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    for (const next of importsOf({ path, text }, { staticOnly: true })) reached.add(next)
  }
  assert.ok(reached.has('src/cli/terminal.ts'))
  assert.deepEqual(
    [...reached].filter((path) => /connectors|flags|arguments/.test(path)),
    [],
  )
})

test('it prints the version of the package', async () => {
  const { out } = await runCli('--version')
  assert.match(out, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await runCli('-v')).out, out)
})

const wrong: [args: string[], message: RegExp][] = [
  [['rnu'], /unknown command "rnu"; did you mean run\?/],
  [['frobnicate'], /the commands are run, check, preview, audit, schema, completion/],
  [['job.yaml'], /name a command first: millrace-ingest run job\.yaml/],
  [['run', '--reproces-all'], /unknown flag --reproces-all; did you mean --reprocess-all\?/],
  [['run', '--source-tokn=abcdefghij'], /unknown flag --source-tokn; did you mean --source-token\?/],
  [['run', '--source-token'], /--source-token needs a value/],
  [['run', '--json=yes'], /--json takes no value/],
  [['run', '--source-token', '--secret-with-dashes'], /--source-token needs a value/],
  [['run', 'a.yaml', 'b.yaml'], /run takes one job file/],
  [['check', '--approve-deletions'], /unknown flag --approve-deletions/],
  [['preview', '--limit', 'many'], /--limit must be a number from 1 to 50/],
  [['completion'], /name a shell: bash, zsh or fish/],
  [['completion', 'constructor'], /name a shell/],
  [['schema', 'x'], /takes only flags/],
  [['run', 'no-such.yaml'], /reading the job file no-such\.yaml: there is no such file/],
  [['run', '.'], /reading the job file \.: it is a folder/],
]
for (const [args, message] of wrong)
  test(`it exits with 2 and a hint for "${args.join(' ')}"`, async () => {
    const { code, out, err } = await runCli(...args)
    assert.equal(code, 2, err)
    assert.equal(out, '')
    assert.match(err, message)
    assert.ok(!/abcdefghij|secret-with-dashes/.test(err), err)
    assert.ok(!/\n\s+at /.test(err), 'no stack trace')
  })

test('it reads a job from flags alone and names missing settings', async () => {
  const { code, err } = await runCli('run', '--destination-type', 'folder', '--destination-path', 'x')
  assert.equal(code, 2)
  assert.match(err, /source: reading the config of wiki: .*url/)
})

test('it redacts secrets from all output, in JSON and in Base64 too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cli-'))
  try {
    const token = 'tok"en\\of-the-wiki'
    const file = join(folder, 'job.yaml')
    const config = { url: 'http://127.0.0.1:9', cloud: true, username: 'ann', token }
    const source = { type: 'wiki', config }
    // The path contains the secret, and the check prints the path.
    const destination = { type: 'folder', config: { path: join(folder, token) } }
    await writeFile(file, JSON.stringify({ source, destination }))
    for (const args of [[], ['--json']]) {
      const { out, err } = await runCli('check', file, ...args)
      assert.match(out, /redacted/)
      assert.ok(!(out + err).includes(token), out)
      assert.ok(!(out + err).includes(JSON.stringify(token).slice(1, -1)), out)
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

async function runCli(...args: string[]) {
  const written = { out: '', err: '' }
  const stream = (name: 'out' | 'err') => ({
    write(text: string) {
      written[name] += text
    },
  })
  const { signal } = new AbortController()
  const code = await commandLine({ args, env: {}, out: stream('out'), err: stream('err') }, signal)
  return { code, ...written }
}
