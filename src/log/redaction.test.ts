import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { createRedactionRegistry, hideAll } from './redaction.ts'

const LINGER_MS = 10_000

function registryWithClock() {
  let time = 0
  const registry = createRedactionRegistry({ now: () => time })
  const advance = (ms: number) => {
    time += ms
  }
  return { registry, advance }
}

describe('the redaction registry', () => {
  test('hides a secret until its last use is released', () => {
    const { registry, advance } = registryWithClock()
    const first = registry.hide('shared-canary')
    const second = registry.hide('shared-canary')
    first()
    first()
    advance(LINGER_MS)
    assert.equal(registry.redact('a shared-canary'), 'a [redacted]')
    second()
    assert.equal(registry.redact('a shared-canary'), 'a [redacted]', 'errors are logged after the close')
    advance(LINGER_MS)
    assert.equal(registry.redact('a shared-canary'), 'a shared-canary')
    assert.equal(registry.contains('a shared-canary'), false)
  })

  test('keeps a secret that is hidden again after its release', () => {
    const { registry, advance } = registryWithClock()
    registry.hide('again-canary')()
    registry.hide('again-canary')
    advance(LINGER_MS)
    assert.equal(registry.redact('again-canary'), '[redacted]')
  })

  test('keeps secrets of the environment after every release', () => {
    const { registry, advance } = registryWithClock()
    registry.add('permanent-canary')
    hideAll(registry.hide, ['permanent-canary', 'other-canary'])()
    advance(LINGER_MS)
    for (let index = 0; index < 20_000; index++) registry.hide(`temporary-canary-${index}`)
    assert.equal(registry.redact('permanent-canary other-canary'), '[redacted] other-canary')
  })

  test('drops the oldest secret in use when the table is full', () => {
    const { registry } = registryWithClock()
    for (let index = 0; index <= 10_000; index++) registry.hide(`canary-${index}-end`)
    assert.equal(registry.redact('canary-0-end canary-1-end'), 'canary-0-end [redacted]')
    assert.equal(registry.redact('canary-10000-end'), '[redacted]')
  })

  test('drops released secrets before those in use when the table is full', () => {
    const { registry } = registryWithClock()
    registry.hide('opened-canary')
    for (let index = 0; index < 2000; index++) registry.hide(`closed-canary-${index}-end`)()
    assert.equal(registry.redact('opened-canary'), '[redacted]')
    assert.equal(registry.redact('closed-canary-0-end'), 'closed-canary-0-end')
    assert.equal(registry.redact('closed-canary-1999-end'), '[redacted]')
  })

  test('stays small with many long secrets that are never released', () => {
    const module = JSON.stringify(new URL('./redaction.ts', import.meta.url).href)
    const script = `
      const { createRedactionRegistry } = await import(${module})
      const registry = createRedactionRegistry()
      for (let index = 0; index < 1500; index++)
        registry.hide(String(index).padEnd(4096, String.fromCharCode(0xe4 + index % 9)))
      console.log('done')`
    const args = ['--max-old-space-size=64', '--input-type=module', '--eval', script]
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    assert.deepEqual({ stdout: stdout.trim(), status }, { stdout: 'done', status: 0 })
  })
})
