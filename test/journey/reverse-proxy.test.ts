import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import tls from 'node:tls'
import type { Page } from 'playwright-core'
import { apiOf } from '../world/api.ts'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { type Certificates, makeCertificates } from '../world/certificates.ts'
import { type Flow, finish, makeFlow, startRun } from '../world/flow.ts'
import { ada, homeOf, openPage, type PageWorld, signIn } from '../world/page.ts'
import { type ReverseProxy, startReverseProxy } from '../world/reverse-proxy.ts'
import { openEventStream } from '../world/server-events.ts'
import { TEST_KEY } from '../world/service.ts'
import type { World } from '../world/world.ts'

const PARTITION = { name: 'Partitioner', type: 'partition', subtype: 'auto', settings: {} }

/** The same service and page, directly at `/` and behind two proxies at `/millrace/`. */
describe('a service behind a reverse proxy', () => {
  let direct: PageWorld
  let certificates: Certificates
  let certificate: Awaited<ReturnType<Certificates['authority']>>
  let flow: Flow

  before(async () => {
    certificates = await makeCertificates()
    certificate = await certificates.authority('localhost')
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate.certificate])
    // Ada is signed in at the direct address by then: the same build works at `/`.
    direct = await openPage({
      wiki: { large: 5 },
      env: { MILLRACE_PUBLIC_URL: 'https://localhost/millrace' },
    })
    flow = await makeFlow(direct.world, {})
    // Invitations need a business account.
    const changed = await direct.page.request.post(`${direct.world.millrace.url}/api/v1/account`, {
      headers: { 'x-requested-with': 'millrace' },
      data: { tier: 'business', organisation: 'Acme' },
    })
    assert.ok(changed.ok(), await changed.text())
  })
  after(async () => {
    await direct?.close()
    await certificates[Symbol.asyncDispose]()
  })

  for (const name of ['nginx', 'caddy'] as const) {
    describe(name, () => {
      let proxy: ReverseProxy
      let browser: WorldBrowser
      let page: Page
      let world: World
      let home: string
      before(async () => {
        proxy = await startReverseProxy(name, direct.world.millrace.url ?? '', certificate)
        browser = await openBrowser(proxy.url)
        page = await browser.page()
        world = { ...direct.world, api: apiOf(proxy.url) } as World
      })
      after(async () => {
        await browser?.close().finally(() => proxy?.stop())
      })

      /** As the person of the browser. */
      async function ownCall<T>(path: string, body: object): Promise<T> {
        const [, workspace = ''] = /\/w\/([0-9a-f-]+)/.exec(home) ?? []
        const response = await page.request.post(`${proxy.url}/api/v1${path}`, {
          headers: { 'x-workspace': workspace },
          data: body,
        })
        assert.ok(response.ok(), await response.text())
        return response.json()
      }

      test('it signs in below the path, with cookies for it alone', async () => {
        const redirected = await fetch(proxy.url, { redirect: 'manual' })
        assert.equal(redirected.status, 308)
        assert.match(redirected.headers.get('location') ?? '', /\/millrace\/$/)
        await signIn(page, `${proxy.url}/`, ada)
        home = await homeOf(page)
        assert.ok(home.startsWith(`${proxy.url}/w/`))
        const cookies = await page.context().cookies()
        assert.ok(cookies.length > 0)
        for (const { path, secure, httpOnly } of cookies)
          assert.deepEqual({ path, secure, httpOnly }, { path: '/millrace', secure: true, httpOnly: true })
      })

      test('it opens screens by link, by reload and after a new sign-in', async () => {
        await page.getByRole('link', { name: 'Runs', exact: true }).click()
        await page.waitForURL(`${home}/jobs`)
        await page.reload()
        await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
        const other = await browser.page()
        await other.goto(`${home}/jobs`)
        await other.waitForURL(`${proxy.url}/sign-in**`)
        await other.getByLabel('E-mail').fill(ada.email)
        await other.getByLabel('Password', { exact: true }).fill(ada.password)
        await other.getByRole('button', { name: 'Sign in', exact: true }).click()
        await other.waitForURL(`${home}/jobs`)
        await other.context().close()
      })

      test('it passes the events of a job on while the job runs', async () => {
        // The run cannot go on before the wiki answers, so a buffering proxy would send nothing.
        const { control } = direct.world.wiki
        await control.fail({ isHeld: true, times: null })
        const jobId = await startRun(world, flow)
        const stream = await openEventStream(world, `/jobs/${jobId}/events`)
        assert.equal(stream.status, 200)
        const first = await stream.events.next()
        assert.equal(first.done, false)
        await control.clearFaults()
        for await (const _ of stream.events);
        assert.equal((await finish(world, jobId)).status, 'COMPLETED')
      })

      test('it accepts an upload of several megabytes', async () => {
        const form = new FormData()
        form.append('request_data', JSON.stringify({ job_nodes: [PARTITION] }))
        form.append('input_files', new Blob(['A race. '.repeat(400_000)]), 'race.txt')
        const response = await fetch(`${proxy.url}/api/v1/jobs/`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TEST_KEY}` },
          body: form,
        })
        const text = await response.text()
        assert.ok(response.ok, text)
        assert.equal((await finish(world, (JSON.parse(text) as { id: string }).id)).status, 'COMPLETED')
      })

      test('it answers assistants and programs, with its path in the description', async () => {
        const { token } = await ownCall<{ token: string }>('/personal-tokens', { name: `for ${name}` })
        const response = await fetch(`${proxy.url}/mcp`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${token}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        })
        const text = await response.text()
        assert.equal(response.status, 200, text)
        assert.match(text, /"tools"/)
        const { servers } = (await (await fetch(`${proxy.url}/openapi.json`)).json()) as { servers: unknown }
        assert.deepEqual(servers, [{ url: '/millrace' }])
        const docs = await fetch(`${proxy.url}/docs`)
        assert.equal(docs.url, `${proxy.url}/docs/`)
        const files = [...(await docs.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(
          ([, file]) => file ?? '',
        )
        assert.ok(files.length > 2)
        for (const file of files) assert.equal((await fetch(new URL(file, docs.url))).status, 200, file)
      })

      test('it serves the help, with its path in the addresses', async () => {
        const help = await fetch(`${proxy.url}/help`)
        assert.equal(help.status, 200)
        const addresses = [...(await help.text()).matchAll(/(?:src|href|action)="(\/[^"]+)"/g)]
        assert.ok(addresses.length > 30)
        for (const [, address = ''] of addresses)
          assert.equal((await fetch(new URL(address, proxy.url))).status, 200, address)
      })

      test('it puts the path into links', async () => {
        const [, workspace] = /\/w\/([0-9a-f-]+)/.exec(home) ?? []
        const body = { email: `${name}@acme.example`, role: 'viewer' }
        const { link } = await ownCall<{ link: string }>(`/workspaces/${workspace}/invitations`, body)
        assert.ok(link.startsWith(`${proxy.url}/invitation/`), link)
      })
    })
  }
})
