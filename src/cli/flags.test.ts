import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localConnectors } from '../connectors/registry.ts'
import { readArguments } from './arguments.ts'
import { findCommand } from './commands.ts'
import { connectorFlags } from './flags.ts'

const run = (...args: string[]) => readArguments(findCommand('run')!, args, localConnectors)

test('it has one flag per connector field and marks secrets', () => {
  const flags = connectorFlags(localConnectors)
  assert.equal(new Set(flags.map(({ name }) => name)).size, flags.length)
  const by = new Map(flags.map((flag) => [flag.name, flag]))
  assert.deepEqual(
    flags.filter(({ isSecret }) => isSecret).map(({ name }) => name),
    ['source-token', 'source-password', 'destination-search-api-key', 'destination-password'],
  )
  assert.equal(by.get('source-url')?.isRequired, true)
  assert.deepEqual(by.get('destination-path')?.only, ['folder'])
  assert.deepEqual(by.get('destination-ca-file')?.only, ['searchindex'])
  assert.deepEqual(
    ['source-cloud', 'source-max-num-of-spaces', 'source-spaces', 'source-url'].map(
      (name) => by.get(name)?.kind,
    ),
    ['boolean', 'number', 'list', 'text'],
  )
})

test('it collects the values of a list and takes the last value of other flags', () => {
  const { flags } = run(
    '--source-spaces',
    'ENG, HR',
    '--source-spaces=OPS',
    '--source-url',
    'a',
    '--source-url',
    'b',
  )
  assert.deepEqual(flags.source.config, { spaces: ['ENG', 'HR', 'OPS'], url: 'b' })
})

test('it turns a boolean flag off again', () => {
  assert.equal(run('--source-cloud').flags.source.config.cloud, true)
  assert.equal(run('--source-cloud', '--no-source-cloud').flags.source.config.cloud, false)
  assert.equal(run().flags.source.config.cloud, undefined)
})

test('it parses numbers and leaves other text for the schema to refuse', () => {
  assert.equal(run('--source-max-num-of-spaces', '12').flags.source.config.max_num_of_spaces, 12)
  assert.equal(run('--source-max-num-of-spaces', '1e3').flags.source.config.max_num_of_spaces, '1e3')
})

test('it reads a value that begins with a dash after an equals sign', () => {
  assert.equal(run('--source-token=-abc').flags.source.config.token, '-abc')
})

test('it reads nodes as a list in YAML or JSON', () => {
  assert.deepEqual(run('--nodes', ' [{type: partition, subtype: fast}]').flags.nodes, [
    { type: 'partition', subtype: 'fast' },
  ])
  assert.equal(run().flags.nodes, null)
})

test('it treats everything after two dashes as a file name', () => {
  assert.deepEqual(run('--json', '--', '--odd.yaml').positional, ['--odd.yaml'])
})
