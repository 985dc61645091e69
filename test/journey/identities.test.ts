import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { type Flow, finish, makeFlow, run, setSource } from '../world/flow.ts'
import { type Issuer, startIssuer } from '../world/issuer.ts'
import { firstAdministrator, joinWorkspace, type PageClient } from '../world/person.ts'
import { onlyFor } from '../world/small-world.ts'
import { accounts } from '../world/wiki/accounts.ts'
import { startWiki, type Wiki } from '../world/wiki/start.ts'
import { openWorld, type World } from '../world/world.ts'

type Page = {
  items: { id: string; value: string; account: string; origin: string; ambiguous: boolean }[]
  counts: Record<string, number>
}
type Unmatched = {
  accounts: { account: string; name: string | null }[]
  claims: { value: string; reason: string }[]
  read_at: string | null
}

const AUDIENCE = 'millrace-search'
const small = { pages: 4, spaces: 1, people: 3, groups: 1 }

/** A space for each person, with one page. */
async function prepare({ control }: Wiki, site: string): Promise<void> {
  for (const name of ['ann', 'hidden']) {
    const accountId = `557058:${name}-${site}`
    await control.addPerson({
      ...{ accountId, name: `${name} of ${site}`, username: `${name}.${site}` },
      ...{ email: `${name}@acme.example`, emailVisible: name !== 'hidden' },
    })
    const key = name.toUpperCase()
    await control.addSpace({ key, name, permissions: onlyFor(accountId) })
    await control.createPage({ space: key, title: `${name} in ${site}`, body: '<p>The quagga is gone.</p>' })
  }
  const { people } = await control.truth()
  const member = people.find(({ name }) => name === 'Member Account')!
  await control.addSpace({ key: 'MEM', name: 'member', permissions: onlyFor(member.accountId) })
  await control.createPage({ space: 'MEM', title: `member in ${site}`, body: '<p>The quagga is gone.</p>' })
}

describe('one person with an account in each of two wikis', () => {
  let world: World
  let other: Wiki
  let issuer: Issuer
  let ada: PageClient
  let reader: PageClient
  let cloud: Flow
  let server: Flow
  let key: string
  before(async () => {
    const started = await Promise.all([
      openWorld({ wiki: { seed: 41, ...small }, env: { MILLRACE_ALLOWED_HOSTS: '127.0.0.1' } }),
      startWiki({ seed: 42, ...small, settings: { dcVersion: '9.3.0' } }),
      startIssuer(),
    ])
    ;[world, other, issuer] = started
    await Promise.all([prepare(world.wiki, 'cloud'), prepare(other, 'server')])
    const first = await firstAdministrator(world.millrace)
    ada = first.ada
    const email = 'reader@acme.example'
    reader = await joinWorkspace(ada, world.millrace.url ?? '', {
      email,
      role: 'reader',
      workspace: first.workspace,
    })
    const search = await ada.post<{ key: string }>('/keys', { name: 'app', scope: 'search' })
    key = search.body.key
    cloud = await makeFlow(world, { source: { spaces: ['ANN', 'HIDDEN', 'MEM'] } })
    server = await makeFlow(world, {
      source: {
        ...{ url: other.dataCenterUrl, username: undefined, token: accounts.crawler.pat, cloud: false },
        spaces: ['ANN', 'HIDDEN', 'MEM'],
      },
      suffix: '-server',
      workflow: { destination_id: cloud.destinationId },
    })
    for (const flow of [cloud, server])
      assert.equal((await run(world, flow)).details.processing_status, 'SUCCESS')
    await world.destination.refresh()
    const settings = { issuer: issuer.url, audience: AUDIENCE, mapping: 'email' }
    assert.equal((await ada.put('/identity', settings)).status, 200)
  })
  after(async () => {
    await Promise.all([other?.stop(), issuer?.stop()])
    await world?.close()
  })

  const tokenOf = (claims: object) =>
    issuer.accessToken({ aud: AUDIENCE, sub: 'someone', email_verified: true, ...claims })
  const titles = async (headers: Record<string, string>) => {
    const response = await fetch(`${world.millrace.url}/api/v1/destinations/${cloud.destinationId}/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ query: 'quagga', size: 50 }),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    const { hits } = JSON.parse(text) as { hits: { title: string }[] }
    return [...new Set(hits.map(({ title }) => title))].sort()
  }
  const found = (claims: object) =>
    titles({ authorization: `Bearer ${key}`, 'x-person-token': tokenOf(claims) })
  const fill = async ({ sourceId }: Flow) =>
    ada.post<{ accounts: number; emails: number }>('/identities/fill', { source_id: sourceId })
  const put = (body: object) => ada.put<{ imported: number; ambiguous: number }>('/identities', body)
  const putCsv = async (csv: string, query = `source_id=${cloud.sourceId}`) =>
    ada.call<{ imported: number; detail: { msg: string }[] }>('PUT', `/identities?${query}`, {
      raw: { type: 'text/csv', text: csv },
    })
  const listed = async (query = '') => (await ada.get<Page>(`/identities?limit=500${query}`)).body
  const unmatched = async ({ sourceId }: Flow) =>
    (await ada.get<Unmatched>(`/identities/unmatched?limit=500&source_id=${sourceId}`)).body

  test('it shows an unmatched person only what visitors read, and reports the person', async () => {
    assert.deepEqual(await found({ email: 'ann@acme.example' }), [])
    const { claims } = await unmatched(cloud)
    assert.deepEqual(
      claims.map(({ value, reason }) => [value, reason]),
      [['ann@acme.example', 'unknown']],
    )
  })

  test('it fills the table from the addresses that each wiki shows', async () => {
    const pass = await world.api.post<{ id: string }>(`/workflows/${cloud.workflowId}/sync-permissions`)
    assert.equal(pass.status, 202, pass.text)
    await finish(world, pass.body.id)
    const filled = await fill(server)
    assert.equal(filled.status, 200, filled.text)
    assert.deepEqual(await found({ email: ' ANN@Acme.example' }), ['ann in cloud', 'ann in server'])
    assert.deepEqual(await found({ email: 'ann+tag@acme.example' }), [])
    assert.deepEqual(await found({ email: 'hidden@acme.example' }), ['hidden in server'])
    const missing = await unmatched(cloud)
    assert.ok(missing.accounts.some(({ account, name }) => account === '557058:hidden-cloud' && name))
    assert.ok(!missing.accounts.some(({ account }) => account === '557058:ann-cloud'))
    assert.ok(missing.claims.some(({ value }) => value === 'hidden@acme.example'))
    assert.ok(!missing.claims.some(({ value }) => value === 'ann@acme.example'), 'matched since')
    assert.ok(missing.read_at)
  })

  test('it imports a table, and names the lines of a wrong one', async () => {
    const csv = '\ufeffEmail,Account\r\nHidden@acme.example,557058:hidden-cloud\r\n'
    assert.deepEqual(
      [(await putCsv(csv)).status, await found({ email: 'hidden@acme.example' })],
      [200, ['hidden in cloud', 'hidden in server']],
    )
    const wrong: [string, RegExp][] = [
      ['email;account\nx@y.z;a\nno address;b\n"q@y.z";\n', /line 3: email is not.*line 4: account is empty/],
      ['email,name\nx@y.z,a\n', /line 1: the column \\"name\\" is not known/],
      ['email\nx@y.z\n', /line 1: the first line has/],
      ['email,account\nx@y.z,a,b\n', /line 2: is not a row/],
      ['email,account\n"x@y.z,a\n', /line \d: is not a row/],
      ['', /line 1/],
    ]
    const before = await listed()
    for (const [text, reason] of wrong) {
      const answer = await putCsv(text)
      assert.equal(answer.status, 422, answer.text)
      assert.match(answer.text, reason)
    }
    assert.equal((await putCsv(csv, 'replace=true')).status, 422)
    assert.equal((await put({ source_id: cloud.sourceId, identities: [{ account: 'x' }] })).status, 422)
    assert.equal((await put({ source_id: crypto.randomUUID(), identities: [] })).status, 404)
    assert.deepEqual(await listed(), before)
  })

  test('it exports what can be imported again, safe for spreadsheets', async () => {
    const identities = [{ claim: '=1+1', account: '557058:formula' }]
    assert.equal((await put({ source_id: cloud.sourceId, identities })).status, 200)
    const path = `/identities.csv?source_id=${cloud.sourceId}`
    const { text, headers } = await ada.get(path)
    assert.match(headers.get('content-type') ?? '', /text\/csv/)
    assert.ok(text.includes(`,'=1+1,557058:formula`), text)
    assert.equal((await putCsv(text)).status, 200)
    assert.deepEqual(
      (await listed('&kind=claim')).items.map(({ value }) => value),
      ['=1+1'],
    )
  })

  test('it matches no one by an address with two accounts', async () => {
    const both = [
      { email: 'ann@acme.example', account: '557058:ann-cloud' },
      { email: 'Ann@Acme.Example', account: '557058:hidden-cloud' },
    ]
    const { body } = await put({ source_id: cloud.sourceId, identities: both })
    assert.ok(body.ambiguous >= 2, JSON.stringify(body))
    assert.deepEqual(await found({ email: 'ann@acme.example' }), ['ann in server'])
    assert.ok(
      (await unmatched(cloud)).claims.some(
        ({ value, reason }) => value === 'ann@acme.example' && reason === 'ambiguous',
      ),
    )
    const tested = await ada.post<{ sources: { source_id: string; reason: string | null }[] }>(
      '/identity/test',
      {
        token: tokenOf({ email: 'ann@acme.example' }),
      },
    )
    const reasons = new Map(tested.body.sources.map(({ source_id: id, reason }) => [id, reason]))
    assert.match(reasons.get(cloud.sourceId) ?? '', /several accounts/)
    assert.equal(reasons.get(server.sourceId), null)
    const [wrong] = (await listed('&ambiguous=true')).items.filter(({ account }) =>
      account.includes('hidden'),
    )
    assert.equal((await ada.delete(`/identities/${wrong?.id}`)).status, 200)
    assert.equal((await ada.delete(`/identities/${wrong?.id}`)).status, 404)
    assert.deepEqual(await found({ email: 'ann@acme.example' }), ['ann in cloud', 'ann in server'])
  })

  test('it replaces what the wiki showed by each complete reading, and nothing by a failed one', async () => {
    const before = (await listed()).counts
    await world.wiki.control.fail({ path: 'users-bulk', status: 403, times: null })
    assert.equal((await fill(cloud)).status, 502)
    await world.wiki.control.clearFaults()
    assert.deepEqual((await listed()).counts, before)
    await world.wiki.control.setPerson('557058:ann-cloud', { email: 'anna@acme.example' })
    assert.equal((await fill(cloud)).status, 200)
    assert.deepEqual(await found({ email: 'anna@acme.example' }), ['ann in cloud'])
    const { items, counts } = await listed('&query=ann@&origin=import')
    assert.deepEqual([items.length, counts.import], [1, 1], 'imported rows stay')
    const replaced = await put({ source_id: cloud.sourceId, identities: [], replace: true })
    assert.equal(replaced.status, 200, replaced.text)
    assert.deepEqual(await found({ email: 'ann@acme.example' }), ['ann in server'])
  })

  test('it maps a claim by the table, or takes it as the account', async () => {
    const settings = { issuer: issuer.url, audience: AUDIENCE }
    await ada.put('/identity', { ...settings, mapping: 'table', claim: 'oid' })
    const identities = [{ claim: 'Object-1', account: '557058:ann-cloud' }]
    await put({ source_id: cloud.sourceId, identities })
    assert.deepEqual(await found({ oid: 'Object-1' }), ['ann in cloud'])
    assert.deepEqual(await found({ oid: 'object-1' }), [])
    await ada.put('/identity', { ...settings, mapping: 'account_id', claim: 'wiki_account' })
    assert.deepEqual(await found({ wiki_account: '557058:ann-cloud' }), ['ann in cloud'])
    assert.deepEqual(await found({ wiki_account: 'unheard-of' }), [])
    await world.wiki.control.addPerson({ accountId: '557058:gone', name: 'gone', active: false })
    assert.deepEqual(await found({ wiki_account: '557058:gone' }), [])
  })

  test('it lets no wiki grant what another wiki restricts', async () => {
    const settings = { issuer: issuer.url, audience: AUDIENCE, mapping: 'email' }
    assert.equal((await ada.put('/identity', settings)).status, 200)
    const email = 'mallory@acme.example'
    // The operator of one wiki gives an account the id of a person of the other.
    const { people } = await other.control.truth()
    const accountId = people.find((each) => each.accountId === '557058:hidden-server')?.userKey ?? ''
    await world.wiki.control.addPerson({ accountId, name: 'Mallory', email, emailVisible: true })
    assert.equal((await fill(cloud)).status, 200)
    assert.ok((await listed(`&source_id=${cloud.sourceId}`)).items.some(({ value }) => value === email))
    assert.deepEqual(await found({ email }), [])
  })

  test('it links the own account of a member by its credentials, and forgets them', async () => {
    const made = await reader.post<{ token: string }>('/personal-tokens', { name: 'mine' })
    const own = () => titles({ authorization: `Bearer ${made.body.token}` })
    assert.deepEqual(await own(), [])
    const { email, apiToken, pat } = accounts.member
    const wrong = { source_id: cloud.sourceId, username: email, token: 'wrong' }
    const refused = await reader.post<{ detail: { loc: string[] }[] }>('/identities/link', wrong)
    assert.deepEqual([refused.status, refused.body.detail[0]?.loc.at(-1)], [422, 'token'], refused.text)
    const credentials = { source_id: cloud.sourceId, username: email, token: apiToken }
    const linked = await reader.post('/identities/link', credentials)
    assert.equal(linked.status, 200, linked.text)
    assert.deepEqual(await own(), ['member in cloud'])
    const toServer = await reader.post('/identities/link', { source_id: server.sourceId, token: pat })
    assert.equal(toServer.status, 200, toServer.text)
    assert.deepEqual(await own(), ['member in cloud', 'member in server'])
    const accountsSeen = (await reader.get<{ linked: boolean; address: string }[]>('/identities/own')).body
    assert.ok(accountsSeen.every(({ address }) => address.startsWith('http://127.0.0.1:')))
    assert.deepEqual(
      accountsSeen.map((each) => each.linked),
      [true, true],
    )

    const client = new pg.Client({ connectionString: world.databaseUrl })
    await client.connect()
    const { rows } = await client.query(`select string_agg(t::text, ' ') as text from identities t`)
    const audit = await client.query(`select string_agg(t::text, ' ') as text from audit t
      where action like '%identit%'`)
    await client.end()
    assert.ok(!`${audit.rows[0].text}`.includes('@acme.example'), 'counts, not values')
    for (const secret of [apiToken, pat]) {
      assert.ok(![rows, audit.rows].some(([row]) => `${row.text}`.includes(secret)))
      assert.ok(!world.millrace.lines.join('\n').includes(secret))
    }
    assert.equal((await reader.delete(`/identities/link?source_id=${cloud.sourceId}`)).status, 200)
    assert.deepEqual(await own(), ['member in server'])
  })

  test('it limits attempts to link, whether or not some succeed', async () => {
    const joining = { email: 'guesser@acme.example', role: 'reader', workspace: ada.workspace ?? '' }
    const guesser = await joinWorkspace(ada, world.millrace.url ?? '', joining)
    const { email, apiToken } = accounts.member
    const attempt = async (token: string) =>
      (await guesser.post('/identities/link', { source_id: cloud.sourceId, username: email, token })).status
    for (let guess = 0; guess < 9; guess++) assert.equal(await attempt(`guess ${guess}`), 422)
    assert.equal(await attempt(apiToken), 200)
    assert.equal(await attempt('guess 10'), 422)
    assert.equal(await attempt('guess 11'), 429)
    assert.equal((await guesser.delete(`/identities/link?source_id=${cloud.sourceId}`)).status, 200)
  })

  test('it tells a member nothing of a page that the wiki has closed since', async () => {
    const joining = { email: 'curious@acme.example', role: 'reader', workspace: ada.workspace ?? '' }
    const curious = await joinWorkspace(ada, world.millrace.url ?? '', joining)
    const { email, apiToken } = accounts.member
    const credentials = { source_id: cloud.sourceId, username: email, token: apiToken }
    assert.equal((await curious.post('/identities/link', credentials)).status, 200)
    const path = `/destinations/${cloud.destinationId}`
    type Found = { hits: { record_id: string }[] }
    const { hits } = (await curious.post<Found>(`${path}/search`, { query: 'quagga' })).body
    const recordId = hits[0]?.record_id ?? ''
    const explain = () => curious.post<{ allowed: boolean }>(`${path}/explain`, { record_id: recordId })
    assert.equal((await explain()).body.allowed, true)
    const { control } = world.wiki
    const id = recordId.split('/').at(-1) ?? ''
    await control.editPage(id, { title: 'Merger with Acme' })
    await control.restrict(id, { read: { users: ['557058:ann-cloud'] } })
    const closed = await explain()
    assert.equal(closed.status, 404, closed.text)
    await control.restrict(id, { read: {} })
    assert.equal((await curious.delete(`/identities/link?source_id=${cloud.sourceId}`)).status, 200)
  })

  test('it ends the link of a member with the membership', async () => {
    const { workspace } = ada
    const url = world.millrace.url ?? ''
    const joining = { email: 'leaver@acme.example', role: 'reader', workspace: workspace ?? '' }
    const leaver = await joinWorkspace(ada, url, joining)
    const { email, apiToken } = accounts.member
    await leaver.post('/identities/link', { source_id: cloud.sourceId, username: email, token: apiToken })
    const links = async () => (await listed(`&source_id=${cloud.sourceId}`)).counts.link
    assert.equal(await links(), 1)
    assert.equal((await leaver.post(`/workspaces/${workspace}/leave`)).status, 200)
    assert.equal(await links(), 0)
  })

  test('it forgets proved accounts when the address of a source changes', async () => {
    const before = (await listed(`&source_id=${server.sourceId}`)).counts
    assert.ok(before.source && before.link)
    const config = { url: `${other.dataCenterUrl}-moved`, token: accounts.crawler.pat, cloud: false }
    await setSource(world, server.sourceId, config)
    const { counts } = await listed(`&source_id=${server.sourceId}`)
    assert.deepEqual([counts.source, counts.link], [0, 0])
  })

  test('it serves other workspaces none of it', async () => {
    const { body } = await ada.post<{ id: string }>('/workspaces', { name: 'Other' })
    const email = 'olga@acme.example'
    const olga = await joinWorkspace(ada, world.millrace.url ?? '', {
      email,
      role: 'administrator',
      workspace: body.id,
    })
    const id = cloud.sourceId
    const [row] = (await listed()).items
    const answers = await Promise.all([
      olga.get(`/identities?source_id=${id}`),
      olga.get(`/identities.csv?source_id=${id}`),
      olga.get(`/identities/unmatched?source_id=${id}`),
      olga.put('/identities', { source_id: id, identities: [] }),
      olga.post('/identities/fill', { source_id: id }),
      olga.post('/identities/link', { source_id: id, token: 'x' }),
      olga.delete(`/identities/link?source_id=${id}`),
      olga.delete(`/identities/${row?.id}`),
    ])
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 404),
    )
    assert.deepEqual((await olga.get<Page>('/identities')).body.items, [])
  })
})
