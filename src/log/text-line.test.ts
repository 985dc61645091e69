import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../errors.ts'
import { createLogger } from './log.ts'
import { createRedactionRegistry } from './redaction.ts'

const FIELDS = { role: 'worker', host: 'mill-1', pid: 42, version: '1.2.3' }

function linesOf(format: 'json' | 'text', write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const written: string[] = []
  const secrets = createRedactionRegistry()
  secrets.add('canary-secret')
  const stream = { write: (line: string) => written.push(line) }
  write(createLogger({ level: 'info', secrets, fields: FIELDS, format, stream }))
  return written
}

describe('the log', () => {
  test('names role, host, pid and version on every line', () => {
    const lines = linesOf('json', (log) => {
      log.info({ job_id: 'j1' }, 'job started')
      log.child({ bound: 1 }).error({}, 'failed')
    })
    for (const line of lines) {
      const { role, host, pid, version } = JSON.parse(line)
      assert.deepEqual({ role, host, pid, version }, FIELDS)
    }
    assert.equal(lines.length, 2)
  })

  test('is readable as text', () => {
    const [line = ''] = linesOf('text', (log) => log.info({ job_id: 'j1', documents: 3 }, 'job started'))
    assert.match(
      line,
      /^\d{4}-\d\d-\d\dT[\d:.]+Z info {2}job started job_id=j1 documents=3 \[worker mill-1 42 1\.2\.3\]\n$/,
    )
  })

  test('shows the error in text, and its code', () => {
    const [line = ''] = linesOf('text', (log) =>
      log.error({ err: new AppError('source_failed', 'reading page 7') }, 'failed'),
    )
    assert.match(line, /error failed err="source_failed: reading page 7/)
  })

  test('hides secrets in text too', () => {
    const lines = linesOf('text', (log) => {
      log.info({ note: 'canary-secret', password: 'short', deep: { token: 'x1' } }, 'sent canary-secret')
      log.error({ err: new Error('with canary-secret') }, 'failed')
    })
    assert.doesNotMatch(lines.join(''), /canary|short|x1/)
    assert.match(lines[0] ?? '', /sent \[redacted\] note="\[redacted\]" password="\[redacted\]"/)
  })

  test('keeps a hostile message on one line, without escapes for the terminal', () => {
    const [line = '', ...rest] = linesOf('text', (log) =>
      log.info({ title: 'a\nb\u001b[31m', 'x\ny': '\u202e' }, 'one\r\ntwo\u001b]0;x\u0007'),
    )
    assert.equal(rest.length, 0)
    assert.equal(line.indexOf('\n'), line.length - 1)
    assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}]/u)
  })
})
