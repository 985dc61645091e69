import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onBothSites, small } from '../../../../test/world/sites.ts'
import { includePage } from '../../../../test/world/storage.ts'
import { listAll, pageOf, readDocument, readOutcomes } from '../../../../test/world/wiki-source.ts'

onBothSites('the text of a page', small, (site) => {
  const read = async (space: string, id: string, more?: object) => {
    const source = site.open(space, more)
    const document = await readDocument(source, pageOf((await listAll(source)).refs, id))
    return { ...document, html: String(document.body) }
  }

  test('it holds no text of a restricted page that it includes', async () => {
    const space = await site.newSpace()
    const secret = await site.newPage(space, { title: 'Salaries', body: '<p>wolverine earns 7000</p>' })
    const [person] = (await site.control.truth()).people
    await site.control.restrict(secret, { read: { users: [person!.accountId] } })
    const id = await site.newPage(space, {
      body: `<p>Before.</p>${includePage('Salaries')}<p>After.</p>`,
    })
    const { html, warnings } = await read(space, id)
    assert.doesNotMatch(html, /wolverine/)
    assert.match(html, /Before\..*After\./s)
    assert.deepEqual(
      warnings?.map(({ code, message }) => [code, message]),
      [['macros_dropped', 'Content of other pages or systems is left out: include']],
    )
  })

  test('it holds no text that a comment includes', async () => {
    const space = await site.newSpace()
    const id = await site.newPage(space, { body: '<p>Page.</p>' })
    await site.control.addComment(id, {
      body: `<p>Look:</p>${includePage('Salaries')}`,
    })
    const { html, warnings } = await read(space, id, { include_comments: true })
    assert.match(html, /Look:/)
    assert.doesNotMatch(html, /ac:|Salaries/)
    assert.deepEqual(
      warnings?.map(({ code, message }) => [code, message]),
      [['macros_dropped', 'Content of other pages or systems is left out: include']],
    )
  })

  test('it has the names of mentioned people, looked up once for all pages', async () => {
    const space = await site.newSpace()
    const people = (await site.control.truth()).people.slice(0, 3)
    const mention = (person: (typeof people)[number]) =>
      site.isCloud
        ? `<ac:link><ri:user ri:account-id="${person.accountId}" /></ac:link>`
        : `<ac:link><ri:user ri:userkey="${person.userKey}" /></ac:link>`
    const gone = '<ac:link><ri:user ri:account-id="no-such" ri:userkey="no-such" /></ac:link>'
    const ids: string[] = []
    for (const person of people)
      ids.push(await site.newPage(space, { body: `<p>Ask ${mention(person)} or ${gone}.</p>` }))
    const source = site.open(space)
    const { refs } = await listAll(source)
    await site.control.resetCounts()
    const bodies = new Map<string, string>()
    for await (const outcome of source.read(refs, () => true, AbortSignal.timeout(120_000)))
      if ('document' in outcome) bodies.set(outcome.ref.locator.page_id ?? '', String(outcome.document.body))
    for (const [at, id] of ids.entries()) assert.equal(bodies.get(id), `<p>Ask ${people[at]?.name} or .</p>`)
    const asked = (await site.control.requests()).filter(({ url }) => /users-bulk|api\/user/.test(url)).length
    await readDocument(source, pageOf(refs, ids[0] ?? ''))
    const again = (await site.control.requests()).filter(({ url }) => /users-bulk|api\/user/.test(url)).length
    assert.equal(again, asked, 'names are kept')
  })

  test('it does not fail a page if names cannot be looked up', async () => {
    const space = await site.newSpace()
    const id = await site.newPage(space, {
      body: '<p>Ask <ac:link><ri:user ri:account-id="a" ri:userkey="b" /></ac:link>!</p>',
    })
    await site.control.fail({ path: 'users-bulk|api/user\\?', status: 500, body: {}, times: null })
    const { html, incomplete, warnings } = await read(space, id)
    assert.equal(html, '<p>Ask !</p>')
    // On Data Center an account id cannot be looked up at all.
    assert.equal(incomplete, site.isCloud ? true : undefined)
    assert.deepEqual(
      warnings?.map(({ code, count }) => [code, count]),
      site.isCloud ? [['names_missing', 1]] : undefined,
    )
  })

  test('it is read again if a name lookup failed, but not for unknown people', async () => {
    const space = await site.newSpace()
    const [person] = (await site.control.truth()).people
    const known = site.isCloud ? `account-id="${person?.accountId}"` : `userkey="${person?.userKey}"`
    const unknown = site.isCloud ? 'account-id="no-such"' : 'userkey="no-such"'
    const mention = (attribute: string, text = '') => `<ac:link><ri:user ri:${attribute} />${text}</ac:link>`
    const named = await site.newPage(space, {
      body: `<p>Ask ${mention(known)} ${mention(unknown)}${mention(known, '<ac:link-body>us</ac:link-body>')}!</p>`,
    })
    const typed = await site.newPage(space, {
      body: `<p>${mention(known, '<ac:link-body>us</ac:link-body>')}</p>`,
    })
    await site.control.addComment(typed, { body: '<p>Yes.</p>' })
    await site.control.fail({ path: 'users-bulk|api/user\\?', status: 500, body: {}, times: null })
    const failed = await read(space, named, { include_comments: true })
    assert.equal(failed.incomplete, true)
    assert.equal(failed.warnings?.[0]?.code, 'names_missing')
    assert.equal((await read(space, typed)).incomplete, undefined, 'its text is all there')
    await site.control.clearFaults()
    const { html, incomplete, warnings } = await read(space, named)
    assert.equal(html, `<p>Ask ${person?.name} us!</p>`)
    assert.deepEqual([incomplete, warnings], [undefined, undefined])
  })

  test('it is read singly if the wiki cannot return many bodies at once', async () => {
    const space = await site.newSpace()
    const ids = [await site.newPage(space), await site.newPage(space)]
    await site.control.fail({
      path: 'content/search.*body|pages\\?.*body-format',
      status: 500,
      body: {},
      times: null,
    })
    for (const id of ids) assert.match((await read(space, id)).html, /<p>/)
  })

  test('it is rejected above 20 MB and read below', async () => {
    const space = await site.newSpace()
    const id = await site.newPage(space)
    await site.control.setBigBody(id, 20 * 1024 * 1024)
    assert.ok((await read(space, id)).html.length > 20e6)
    await site.control.setBigBody(id, 20 * 1024 * 1024 + 1)
    const source = site.open(space)
    const ref = pageOf((await listAll(source)).refs, id)
    const [outcome] = await readOutcomes(source, [ref])
    assert.ok(outcome && 'error' in outcome)
    assert.equal(outcome.error.code, 'document_too_large')
  })
})
