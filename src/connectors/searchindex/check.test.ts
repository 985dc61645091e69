import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Fault, startFaultProxy } from '../../../test/world/search-engine/fault-proxy.ts'
import { openEgress, silent } from '../../../test/world/search-engine/fresh-index.ts'
import type { CheckReport } from '../../report.ts'
import type { Egress } from '../egress/egress.ts'
import { createEgress } from '../egress/guard.ts'
import { openSearchIndex } from './destination.ts'

const { signal } = new AbortController()
const UNTRIED = ['skipped', 'skipped', 'skipped', 'skipped']
const REACH = / Check the address and the port in hosts, and that the cluster is up$/
const CLUSTER = / Check that hosts is the address of the search cluster itself, not of its web page/

describe('a check of something that is not a cluster', () => {
  test('reports that nothing listens there', async () => {
    const away = await startFaultProxy('http://127.0.0.1:1')
    await away.close()
    const { reason } = failedToReach(await check(away.url))
    assert.match(
      reason,
      /^trying the key for index wiki at 127\.0\.0\.1:\d+: nothing listens there \(connection/,
    )
    assert.match(reason, REACH)
  })

  test('reports an unknown host as a failure of the destination', async () => {
    const egress = createEgress({
      publicOnly: false,
      resolve: () => Promise.reject(Object.assign(new Error('remote text'), { code: 'ENOTFOUND' })),
    })
    const { reason } = failedToReach(await check('http://cluster.test:9200', egress))
    assert.match(reason, /at cluster\.test:9200: the host does not exist\./)
    assert.match(reason, REACH)
    const destination = openSearchIndex(config('http://cluster.test:9200'), { egress, log: silent }, ONCE)
    await assert.rejects(destination.search.dims(signal), { code: 'destination_unreachable' })
    await destination.close()
    await egress.close()
  })

  test('reports a server that uses http instead of https', async () => {
    const { reason } = await checkOf({ status: 200 }, (url) => url.replace('http:', 'https:'))
    assert.match(reason, /it does not use https; is it an http address\?/)
    assert.match(reason, REACH)
  })

  for (const status of [401, 403, 404]) {
    test(`reports a ${status} of another server as not a cluster, not as a wrong key`, async () => {
      const { reason } = await checkOf({ status, body: { message: 'a secret', statusCode: status } })
      assert.match(
        reason,
        new RegExp(`: it responds with ${status}, but is neither Elasticsearch nor OpenSearch\\.`),
      )
      assert.match(reason, CLUSTER)
      assert.doesNotMatch(reason, /secret|new key/)
    })
  }

  test('does not treat a redirect or a web page as a cluster', async () => {
    const login = await checkOf({ status: 302, headers: { location: 'http://127.0.0.1:1/login' } })
    assert.match(login.reason, /it responds with a redirect, which a search cluster never does\./)
    assert.match(login.reason, CLUSTER)
    const page = await checkOf({ status: 200, body: { hello: 'world' } })
    assert.match(page.reason, /it responds, but is neither Elasticsearch nor OpenSearch\./)
    assert.match(page.reason, CLUSTER)
  })
})

const ONCE = { attempts: 1, firstMs: 1, maxMs: 1 }

function config(url: string) {
  return { hosts: [url], search_api_key: 'a:b', index_name: 'wiki' }
}

async function check(url: string, egress: Egress = openEgress()): Promise<CheckReport> {
  const destination = openSearchIndex(config(url), { egress, log: silent }, ONCE)
  try {
    return await destination.check(signal)
  } finally {
    await destination.close()
  }
}

/** The report for a server that gives every request this response. */
async function checkOf(fault: Fault, address: (url: string) => string = (url) => url) {
  const server = await startFaultProxy('http://127.0.0.1:1')
  server.on(() => fault)
  try {
    return failedToReach(await check(address(server.url)))
  } finally {
    await server.close()
  }
}

function failedToReach({ ok, reason, steps }: CheckReport): { reason: string } {
  assert.equal(ok, false)
  assert.deepEqual(
    steps.map(({ status }) => status),
    ['failed', ...UNTRIED],
  )
  assert.equal(reason, `${steps[0]?.detail}. ${steps[0]?.fix}`.replace('?.', '?'))
  return { reason: reason ?? '' }
}
