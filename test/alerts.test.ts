import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { createMonitoring } from '../src/api/http/monitoring/monitoring.ts'
// Registers the metrics of tasks.
import '../src/jobs/queue/engine.ts'

type Rule = { alert: string; expr: string; annotations: { summary: string; runbook: string } }

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFile(join(root, path), 'utf8')

async function rules(): Promise<Rule[]> {
  const { groups } = parse(await read('ops/alerts.yml')) as { groups: { rules: Rule[] }[] }
  return groups.flatMap((group) => group.rules)
}

async function metricNames(): Promise<string[]> {
  const monitoring = createMonitoring({ version: '1', role: 'worker', pools: () => ({}), names: true })
  const { text } = await monitoring.metrics()
  return [...text.matchAll(/^# TYPE (\S+)/gm)].map((found) => found[1] ?? '')
}

describe('the alerts', () => {
  test('it uses only metrics that processes show', async () => {
    const known = new Set(['up', ...(await metricNames())])
    for (const { alert, expr } of await rules()) {
      const used = expr.match(/\b(up|millrace_\w+)\b/g) ?? []
      assert.ok(used.length > 0, alert)
      for (const name of used) assert.ok(known.has(name), `${alert} uses ${name}`)
    }
  })

  test('it describes every alert in docs/operations.md, and no other', async () => {
    const names = (await rules()).map(({ alert }) => alert)
    const headings = [...(await read('docs/operations.md')).matchAll(/^### (Millrace\w+)$/gm)]
    assert.deepEqual(
      headings.map((found) => found[1]),
      names,
    )
    for (const { alert, annotations } of await rules())
      assert.equal(annotations.runbook, `docs/operations.md#${alert.toLowerCase()}`)
  })

  test('it tests every alert', async () => {
    const { tests } = parse(await read('ops/alerts.test.yml')) as {
      tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[]
    }
    const fired = tests.flatMap(({ alert_rule_test: each }) => each).filter((each) => each.exp_alerts)
    const names = (await rules()).map(({ alert }) => alert)
    assert.deepEqual(
      names.filter((name) => !fired.some(({ alertname }) => alertname === name)),
      [],
    )
  })
})

describe('the metrics', () => {
  test('it describes every metric in docs/operations.md', async () => {
    const page = await read('docs/operations.md')
    const own = (await metricNames()).filter((name) => name.startsWith('millrace_'))
    assert.deepEqual(
      own.filter((name) => !page.includes(`\`${name}\``)),
      [],
    )
  })

  test('it names units and counters as OpenMetrics asks', async () => {
    const monitoring = createMonitoring({ version: '1', role: 'worker', pools: () => ({}), names: true })
    const { text } = await monitoring.metrics()
    for (const [, name = '', type] of text.matchAll(/^# TYPE (millrace_\S+) (\S+)/gm))
      assert.equal(name.endsWith('_total'), type === 'counter', name)
    assert.doesNotMatch(text, /^millrace_\S*(_ms|milliseconds|minutes)\b/m)
  })
})
