// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references in a job file have this form.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { localConnectors } from '../../connectors/registry.ts'
import { readArguments } from '../arguments.ts'
import { findCommand } from '../commands.ts'
import { readJobArguments } from './job.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'job-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const env = {
  TOKEN: 'token-of-the-wiki',
  KEY: 'id-of-key:the-key-itself',
  SPACES: 'ENG, HR',
  N: '7',
  YES: 'true',
}
const WIKI = `source:
  type: wiki
  config:
    url: https://wiki.test
    cloud: true
    username: ann@wiki.test
    token: \${TOKEN}
`
const INDEX = `destination:
  type: searchindex
  config:
    hosts: [https://search.test:9200]
    search_api_key: \${KEY}
    index_name: pages
`
const FOLDER = 'destination: {type: folder, config: {path: ./elements}}\n'

test('it reads a job from a job file and the environment', async () => {
  const job = await jobOf(WIKI + INDEX)
  assert.equal(job.source.config.token, env.TOKEN)
  assert.equal(job.destination.config.index_name, 'pages')
  assert.deepEqual(job.secrets.toSorted(), [env.KEY, env.TOKEN].toSorted())
  assert.deepEqual(
    job.nodes.map(({ subtype }) => subtype),
    ['auto', 'chunk_by_title', 'local'],
  )
  assert.equal(job.statePath, join(folder, 'job.state.jsonl'))
})

test('it takes model endpoints from the environment and names the missing variable', async () => {
  const nodes = 'nodes: [{type: partition}, {type: chunk}, {type: embed, subtype: openai}]\n'
  await assert.rejects(jobOf(WIKI + INDEX + nodes), {
    code: 'invalid_request',
    message:
      /the embedder openai needs a configured model endpoint; the service operator sets MILLRACE_OPENAI_API_KEY/,
  })
  const key = { MILLRACE_OPENAI_API_KEY: 'sk-canary' }
  const job = await jobOf(WIKI + INDEX + nodes, [], { ...env, ...key })
  assert.equal(job.endpoints.openai?.baseUrl, 'https://api.openai.com/v1')
  assert.ok(job.secrets.includes('sk-canary'), 'the key is redacted from output')
  const wrong = { ...env, MILLRACE_AZURE_OPENAI_API_KEY: 'sk-canary' }
  await assert.rejects(jobOf(WIKI + INDEX, [], wrong), {
    message: 'MILLRACE_AZURE_OPENAI_ENDPOINT must be set if MILLRACE_AZURE_OPENAI_API_KEY is set',
  })
})

test('it lets a flag override the file, also under a field alias', async () => {
  const other = WIKI.replace('token:', 'api_token:')
  const job = await jobOf(other + INDEX, ['--source-token', 'another-token', '--no-source-cloud'])
  assert.equal(job.source.config.token, 'another-token')
  assert.equal(job.source.config.cloud, false)
  assert.equal(job.source.config.username, 'ann@wiki.test')
})

test('it does not need a variable that a flag overrides', async () => {
  const { source } = await jobOf(WIKI.replace('TOKEN', 'UNSET') + INDEX, ['--source-token', 'given-token'])
  assert.equal(source.config.token, 'given-token')
})

test('it ignores the settings of the file for another destination type', async () => {
  const flags = ['--destination-type', 'folder', '--destination-path', './out']
  const { destination } = await jobOf(WIKI + INDEX.replace('KEY', 'UNSET'), flags)
  assert.deepEqual([destination.type.type, destination.config], ['folder', { path: './out' }])
  const same = await jobOf(WIKI + INDEX, ['--destination-type', 'elasticsearch'])
  assert.equal(same.destination.config.index_name, 'pages')
})

test('it reads numbers, booleans and lists from the environment', async () => {
  const more = '    spaces: ${SPACES}\n    max_num_of_spaces: ${N}\n    extract_images: ${YES}\n'
  const { source } = await jobOf(WIKI + more + INDEX, ['--source-max-num-of-docs-from-each-space', '${N}'])
  const { spaces, max_num_of_spaces, extract_images, max_num_of_docs_from_each_space } = source.config
  assert.deepEqual(
    [spaces, max_num_of_spaces, extract_images, max_num_of_docs_from_each_space],
    [['ENG', 'HR'], 7, true, 7],
  )
})

test('it resolves paths of a job file from the file, and paths of flags from the working directory', async () => {
  const file = await jobOf(WIKI + FOLDER)
  assert.equal(file.destination.config.path, join(folder, 'elements'))
  const flag = await jobOf(WIKI + FOLDER, ['--destination-path', 'elements', '--state', 'mine.jsonl'])
  assert.equal(resolve(String(flag.destination.config.path)), resolve('elements'))
  assert.equal(flag.statePath, resolve('mine.jsonl'))
  const away = `${WIKI}${INDEX.replace('    index', '    ca_file: ca.pem\n    index')}`
  assert.equal((await jobOf(away)).destination.config.ca_file, join(folder, 'ca.pem'))
})

test('it resolves the path of the state file: relative, absolute or with a variable', async () => {
  assert.equal((await jobOf(`${WIKI}${FOLDER}state: s/x.jsonl\n`)).statePath, join(folder, 's/x.jsonl'))
  assert.equal((await jobOf(`${WIKI}${FOLDER}state: /var/x.jsonl\n`)).statePath, '/var/x.jsonl')
  const job = await jobOf(`${WIKI}${FOLDER}state: \${DIR}/x.jsonl\n`, [], { ...env, DIR: '/srv' })
  assert.equal(job.statePath, '/srv/x.jsonl')
  assert.equal(
    (await jobOf(WIKI + FOLDER, ['--state', '${DIR}/y'], { ...env, DIR: '/srv' })).statePath,
    '/srv/y',
  )
})

test('it derives the target from addresses, not from credentials or spaces', async () => {
  const one = await jobOf(WIKI + INDEX)
  const sameFlags = ['--source-token', 'a-newer-token', '--source-spaces', 'HR']
  assert.equal((await jobOf(WIKI + INDEX, sameFlags)).target, one.target)
  for (const flags of [
    ['--source-url', 'https://other.test'],
    ['--destination-index-name', 'others'],
    ['--destination-hosts', 'https://other.test:9200'],
    ['--destination-type', 'folder', '--destination-path', 'x'],
  ])
    assert.notEqual((await jobOf(WIKI + INDEX, flags)).target, one.target, flags.join(' '))
})

const wrong: [what: string, file: string, flags: string[], message: RegExp][] = [
  ['an unknown key', `${WIKI}${INDEX}stat: x\n`, [], /unknown stat; did you mean state\?/],
  [
    'an unknown key of a part',
    WIKI.replace('  config', '  kind: x\n  config') + INDEX,
    [],
    /unknown source\.kind/,
  ],
  [
    'an unknown setting',
    WIKI.replace('username', 'usrname') + INDEX,
    [],
    /usrname.*did you mean "username"\?/,
  ],
  [
    'an unknown type',
    WIKI.replace('type: wiki', 'type: wikki') + INDEX,
    [],
    /no source of type "wikki".*wiki/,
  ],
  ['an unknown type by flag', WIKI + INDEX, ['--destination-type', 'foldr'], /type "foldr".*folder/],
  ['no destination', WIKI, [], /destination is missing/],
  ['another version', `version: 2\n${WIKI}${INDEX}`, [], /version must be 1/],
  ['a list', '- a\n- b\n', [], /source and destination are required/],
  ['an empty file', '', [], /source and destination are required/],
  ['invalid YAML', `${WIKI}${INDEX}  x: [1, 2\n`, [], /it is not valid YAML at line \d+, column \d+/],
  ['a key twice', `${WIKI}${WIKI}${INDEX}`, [], /it is not valid YAML at line \d+/],
  [
    'a variable that is not set',
    WIKI.replace('TOKEN', 'TOKN') + INDEX,
    [],
    /variable TOKN, which is not set/,
  ],
  ['a reference without a valid name', WIKI.replace('{TOKEN', '{TO KEN') + INDEX, [], /not a variable name/],
  ['two sign-in modes', WIKI + INDEX, ['--source-password', 'x'], /token|password/],
  ['an unknown node type', WIKI + INDEX, ['--nodes', '[{"type": "partitoin"}]'], /partition/],
  ['nodes that are not a list', WIKI + INDEX, ['--nodes', '[{'], /not a list of nodes/],
  ['a missing file of nodes', WIKI + INDEX, ['--nodes', 'nowhere.yaml'], /the file does not exist/],
  ['a setting that is not a number', WIKI + INDEX, ['--source-max-num-of-spaces', 'many'], /whole number/],
]
for (const [what, file, flags, message] of wrong)
  test(`it reports ${what} as bad configuration, without a secret`, async () => {
    await assert.rejects(jobOf(file, flags), (error: Error) => {
      assert.match(error.message + ((error as { fix?: string }).fix ?? ''), message)
      for (const secret of Object.values(env).slice(0, 2)) assert.ok(!error.message.includes(secret))
      return true
    })
  })

test('it refuses an alias bomb', async () => {
  const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]']
  for (const [name, before] of ['ba', 'cb', 'dc', 'ed', 'fe'].map((pair) => [...pair]))
    lines.push(`${name}: &${name} [${`*${before}, `.repeat(9)}*${before}]`)
  await assert.rejects(jobOf(lines.join('\n')), /too many aliases/)
})

async function jobOf(text: string, flags: string[] = [], variables: Record<string, string> = env) {
  const path = join(folder, 'job.yaml')
  await writeFile(path, text)
  return readJobArguments(
    readArguments(findCommand('run')!, [path, ...flags], localConnectors),
    variables,
    localConnectors,
  )
}
