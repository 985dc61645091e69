import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import type { Comparison } from './compare.ts'
import { tablesOf } from './page.ts'
import { plot } from './plot.ts'
import { type Measures, summarize } from './summary.ts'
import { treeUsage } from './tree-usage.ts'

const measures = (pages_per_second: number): Measures => ({
  ...{ pages_per_second, pages_per_cpu_second: 40, requests_per_page: 0.1 },
  ...{ peak_mb: 300, pages: 60, elements: 659 },
})
const comparison: Comparison = {
  ...{ date: '2026-11-17T10:00:00.000Z', machine: { cpu: 'CPU', cores: 2 }, isolated: true },
  ...{ pages: 60, rounds: 3, latencies: [0, 20], versions: { 'langchain-community': '0.4.2' } },
  measures: {
    millrace: { 0: summarize([30, 10, 20].map(measures)), 20: summarize([measures(9)]) },
    langchain: { 0: summarize([measures(5)]), 20: summarize([measures(4)]) },
  },
  seven_pages: {
    millrace: [
      { title: 'one page', verdict: 'exact', expected: ['Ann'], emitted: { users: [], groups: [] } },
    ],
    langchain: [{ title: 'one page', verdict: 'none', expected: ['Ann'], emitted: null }],
  },
}

describe('the comparison with other tools', () => {
  test('it gives the median of the rounds with the lowest and the highest', () => {
    assert.deepEqual(summarize([3, 1, 2].map(measures)).pages_per_second, { median: 2, min: 1, max: 3 })
    assert.equal(summarize([1, 2, 3, 4].map(measures)).pages_per_second.median, 2.5)
  })

  test('it writes a table for each latency and one of the seven pages', () => {
    const text = tablesOf(comparison)
    assert.ok(text.includes('| millrace | 20 (10–30) | 40 | 0.1 | 300 | 60 | 659 |'), text)
    assert.ok(text.includes('| langchain | 4 | 40 | 0.1 | 300 | 60 | 659 |'), text)
    assert.ok(text.includes('| one page | Ann | exact | none |'), text)
  })

  test('it draws a bar for each tool and latency', () => {
    const drawn = plot(comparison)
    assert.equal(drawn.match(/<rect class="near"/g)?.length, 2 * 4 + 1)
    assert.equal(drawn.match(/<rect class="far"/g)?.length, 2 + 1)
    assert.ok(!drawn.includes('NaN'))
  })

  test('it counts the processor time of children that have ended', async () => {
    const burn = 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done'
    const shell = spawn('/bin/sh', ['-c', `sh -c '${burn}'; echo ended; read end`], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(shell.stdout, 'data')
    const { cpuSeconds, residentMb } = treeUsage([shell.pid ?? -1])
    shell.stdin.end('\n')
    assert.ok(cpuSeconds > 0)
    assert.ok(residentMb > 0)
  })
})
