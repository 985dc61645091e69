import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { localConnectors } from '../../connectors/registry.ts'
import { openTerminal } from '../terminal.ts'
import { completionCommand } from './completion.ts'

test('it completes commands, their flags and files in bash', async () => {
  const script = await printed('bash')
  assert.deepEqual(complete(script, ['millrace-ingest', '']), [
    ...['run', 'check', 'preview', 'audit', 'schema', 'completion', '--help', '--version'],
  ])
  assert.deepEqual(complete(script, ['millrace-ingest', 'pre']), ['preview'])
  assert.deepEqual(complete(script, ['millrace-ingest', 'run', '--app']), ['--approve-deletions'])
  assert.deepEqual(complete(script, ['millrace-ingest', 'check', '--app']), [])
  assert.deepEqual(complete(script, ['millrace-ingest', 'run', 'job.yaml', '--source-max-num']), [
    ...['--source-max-num-of-spaces', '--source-max-num-of-docs-from-each-space'],
  ])
  assert.ok(complete(script, ['millrace-ingest', 'run', 'pack']).includes('package.json'))
})

test('it prints scripts without syntax errors', async () => {
  const syntax = spawnSync('bash', ['-n'], { input: await printed('bash'), encoding: 'utf8' })
  assert.deepEqual([syntax.status, syntax.stderr], [0, ''])
  const zsh = await printed('zsh')
  assert.ok(zsh.startsWith('autoload -U +X bashcompinit') && zsh.includes('complete -o'))
  const fish = (await printed('fish')).trim().split('\n')
  for (const line of fish) {
    assert.match(line, /^complete -c millrace-ingest -n "/)
    assert.equal(line.replaceAll("\\'", '').split("'").length % 2, 1, line)
  }
  assert.ok(fish.some((line) => line.includes('-l source-url -r')))
})

async function printed(shell: string): Promise<string> {
  let text = ''
  const out = {
    write(line: string) {
      text += line
    },
  }
  const args = { positional: [shell], options: {} } as unknown as Parameters<
    typeof completionCommand
  >[0]['args']
  const { signal } = new AbortController()
  await completionCommand(
    { args, registry: localConnectors, env: {}, terminal: openTerminal({ out, err: out }) },
    signal,
  )
  return text
}

/** The completions that bash offers for the last word. */
function complete(script: string, words: string[]): string[] {
  const command = `${script}
    COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})
    COMP_CWORD=${words.length - 1}
    _millrace_ingest
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', command], { encoding: 'utf8' })
  assert.equal(stderr, '')
  return stdout.split('\n').filter((line) => line !== '')
}
