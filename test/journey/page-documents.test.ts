import assert from 'node:assert/strict'
import { after, before, describe } from 'node:test'
import { finders } from '../world/finders.ts'
import { type Flow, makeFlow, run, until } from '../world/flow.ts'
import { addViewer, openPage, type PageWorld, signIn } from '../world/page.ts'
import { text as at, pdfOf } from '../world/pdf.ts'
import { holds, settles } from '../world/settled.ts'
import { ALL_PEOPLE } from '../world/small-world.ts'
import { steps } from '../world/steps.ts'

const TITLE = 'Failover of the mill'
// A long word must not break, and nothing of the table may load or run.
const TABLE = `<table><tbody><tr><th>Sluice</th><th>Responsible</th><th>Identifier</th><th>Recovery</th></tr>
  <tr><td>North</td><td onclick="alert(1)">Lena<img src="https://elsewhere.example/x.png" alt="x" /></td>
  <td>sluice.discovery.seed_hosts.configuration.of.the.north.gate</td><td>15 minutes</td></tr></tbody></table>`
const HEBREW = 'השער הצפוני נסגר ראשון, ואחריו השער הדרומי.'
const PARAGRAPH = '<p>The wheel turns again when the water is back at its mark, which takes some time.</p>'

function bodyWith(first: string): string {
  return `<h2>Before</h2><p>${first}</p><ul><li>Close the north gate.</li><li>Open the south gate.</li></ul>
    <h2>Sluices</h2>${TABLE}<p>${HEBREW}</p><h2>After</h2>${PARAGRAPH.repeat(30)}`
}

const SIZE = { width: 400, height: 560 }
const pdfPage = (title: string, lines: string[]) => ({
  box: `0 0 ${SIZE.width} ${SIZE.height}`,
  content: at(40, 500, title, 20) + lines.map((line, index) => at(40, 460 - 14 * index, line, 12)).join(''),
})
const PDF = pdfOf([
  pdfPage('Opening', [
    'The north gate is opened before the south gate,',
    'and only by two people who know the wheel.',
  ]),
  pdfPage('Closing', [
    'Both gates are closed when the water falls',
    'below the mark on the left wall of the mill.',
  ]),
  { box: '0 0 400 560' },
])

/** One document: reached from a job, read next to its elements, compared and shared. */
describe('the page of a document', () => {
  let { world, browser, page, home, close } = {} as PageWorld
  let flow: Flow
  let pageId: string
  let pdf: string
  let record: string
  let person: { accountId: string; name: string }
  before(async () => {
    const wiki = { seed: 4, pages: 2, spaces: 1, people: 4, groups: 2 }
    ;({ world, browser, page, home, close } = await openPage({ wiki }))
    const { control } = world.wiki
    await control.addSpace({ key: 'MIL', name: 'Mill', permissions: ALL_PEOPLE })
    const body = bodyWith('Call the miller.')
    pageId = await control.createPage({ space: 'MIL', title: TITLE, body, labels: ['runbook'] })
    const attached = { title: 'gates.pdf', mediaType: 'application/pdf' }
    pdf = await control.attach(pageId, { ...attached, base64: PDF.toString('base64') })
    const [first] = (await control.truth()).people
    assert.ok(first)
    person = first
    flow = await makeFlow(world, { source: { spaces: ['MIL'], extract_files: true } })
  })
  after(() => close?.())

  const step = steps()
  const { heading, button } = finders(() => page)
  const examine = () => browser.examine(page)
  const pane = (name: 'Document as read' | 'Elements') => page.getByRole('group', { name, exact: true })
  const marked = (name: 'Document as read' | 'Elements') => pane(name).locator('[data-marked]')

  step('it is reached from a run and says who can read the document', async () => {
    const { id } = await run(world, flow)
    await page.goto(`${home}/jobs/${id}?tab=documents`)
    await page.getByRole('link', { name: TITLE, exact: true }).click()
    await heading(TITLE)
    await page.waitForURL(/record=/)
    record = new URL(page.url()).searchParams.get('record') ?? ''
    assert.ok(record.endsWith(`/${pageId}`), record)
    await page.getByText(/^Readable by every licensed user, checked/).waitFor()
    await page.getByText('runbook', { exact: true }).waitFor()
    await page.getByText('Who can read it, and why').click()
    await page.getByText('Open to every licensed user.').waitFor()
    const trail = page.getByRole('navigation', { name: 'Place of the document' })
    await trail.getByRole('link', { name: 'Access lab' }).waitFor()
    await trail.getByText('Mill (MIL)').waitFor()
    await page.locator('nav a[data-status=active]', { hasText: 'Access lab' }).waitFor()
  })

  step('it is opened with at most twelve requests', async () => {
    const requests: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/api/')) requests.push(request.url())
    })
    await page.reload({ waitUntil: 'networkidle' })
    await page.getByText(/^Readable by every licensed user, checked/).waitFor()
    await page.getByRole('table', { name: 'Runs of the document' }).getByRole('link').first().waitFor()
    assert.ok(requests.length <= 12, requests.join('\n'))
  })

  step('it shows each text in its own direction', async () => {
    const isRightToLeft = (text: string) =>
      pane('Document as read')
        .getByText(text)
        .first()
        .evaluate((element) => element.matches(':dir(rtl)'))
    assert.equal(await isRightToLeft(HEBREW), true)
    assert.equal(await isRightToLeft('Call the miller.'), false)
  })

  step('it marks the part of the document that an element comes from, and the other way round', async () => {
    const table = pane('Document as read').getByRole('table')
    await table.getByRole('columnheader', { name: 'Identifier' }).waitFor()
    assert.equal(await pane('Document as read').locator('img, [onclick]').count(), 0)
    // The pane shows the last paragraph only after it has scrolled there.
    await pane('Elements').getByText('back at its mark').last().hover()
    await marked('Document as read').getByText('back at its mark').last().waitFor()
    await until(
      async () => {
        const frame = await pane('Document as read').boundingBox()
        const box = await marked('Document as read').first().boundingBox()
        return frame && box ? box.y - frame.y : -1
      },
      (below) => below >= 0 && below < 600,
    )
    await pane('Document as read').getByText('Close the north gate.').hover()
    await marked('Elements').getByText('Close the north gate.').waitFor()
    await settles(() => marked('Document as read').count(), 1)
    await examine()
  })

  step('it moves between elements and to the document by keyboard', async () => {
    await page.mouse.move(0, 0)
    await pane('Elements').locator('[tabindex="0"]').first().focus()
    const hasFocus = (text: RegExp) =>
      holds(async () => assert.match((await page.locator(':focus').textContent()) ?? '', text))
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Home')
    await hasFocus(/^CompositeElement1 of \d+/)
    await page.keyboard.press('ArrowDown')
    await hasFocus(/^Table2 of \d+/)
    await page.keyboard.press('ArrowLeft')
    await pane('Document as read').locator(':focus').waitFor()
    await marked('Elements').first().waitFor()
  })

  step('it outlines the parts of an element on the page of a PDF', async () => {
    const outlines = page.locator('[data-outline]')
    const drawn = (number: number) => page.getByRole('img', { name: `Page ${number} of 3` })
    /** In points of the page. */
    const places = async () => {
      const sheet = await drawn(2).boundingBox()
      const boxes = await outlines.evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect().toJSON()),
      )
      const scale = SIZE.width / (sheet?.width ?? 1)
      return boxes.map(({ left, top }) =>
        [left - (sheet?.x ?? 0), top - (sheet?.y ?? 0)].map((each) => Math.round(each * scale)),
      )
    }
    await page.goto(`${home}/documents?record=${encodeURIComponent(record.replace(/[^/]+$/, pdf))}`)
    await heading('gates.pdf')
    await drawn(1).waitFor()
    assert.equal(await outlines.count(), 0)
    const closing = pane('Elements').getByText('Both gates are closed')
    await closing.click()
    await drawn(2).waitFor()
    // From the upper left corner to the top of a letter: 0.9 of its size above its baseline.
    const expected = [
      [40, 560 - 500 - 18],
      [40, 560 - 460 - 11],
    ]
    await settles(places, expected)
    await pane('Elements').getByText('The north gate is opened').hover()
    await settles(() => outlines.count(), 0)
    await page.mouse.move(0, 0)
    await settles(() => outlines.count(), 2)
    await examine()
    await button('Next page').click()
    await page.getByText('No text was read from this page.').waitFor()
    await page.getByText('Document as read', { exact: true }).click()
    await pane('Document as read').getByText('Both gates are closed').hover()
    await marked('Elements').waitFor()

    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('tab', { name: 'Elements' }).click()
    await closing.click()
    await button('Show on the page').click()
    await page.locator(':focus').getByRole('img').waitFor()
    await settles(places, expected)
    await examine()
    await page.setViewportSize({ width: 1280, height: 900 })
    await world.wiki.control.fail({ site: 'media', status: 500, times: null })
    await page.reload()
    await page.getByRole('alert').first().waitFor()
    await world.wiki.control.clearFaults()
    await page.goto(`${home}/documents?record=${encodeURIComponent(record)}`)
    await heading(TITLE)
  })

  step('it shows the text of two versions and their permissions, by name', async () => {
    await world.wiki.control.editPage(pageId, { body: bodyWith('Ring the bell.') })
    await world.wiki.control.restrict(pageId, { read: { users: [person.accountId] } })
    await run(world, flow)
    await page.reload()
    await page.getByText(`Readable by ${person.name}, checked`).waitFor()
    await button('Compare').click()
    await page.getByRole('heading', { name: 'Changes from version 1 to 2' }).waitFor()
    assert.match((await page.locator('ins').allTextContents()).join(), /Ring the bell\./)
    assert.match((await page.locator('del').allTextContents()).join(), /Call the miller\./)
    const added = page.getByRole('list', { name: 'Added' })
    await added.getByText(person.name).waitFor()
    await page.getByText('is restricted now').waitFor()
    await examine()
    await page.reload()
    await page.getByRole('heading', { name: 'Changes from version 1 to 2' }).waitFor()
  })

  step('it is reached from a preview, which has names and whole words in tables', async () => {
    await page.goto(`${home}/workflows/${flow.workflowId}?view=preview`)
    await button('Preview').click()
    const shown = page.getByRole('combobox', { name: 'Shown' })
    await shown.click()
    await page.getByRole('option', { name: TITLE, exact: true }).click()
    await page.getByText('Readers:').locator('..').getByText(person.name).waitFor()
    await page.getByRole('columnheader', { name: 'Identifier' }).first().waitFor()
    await examine()
    await page.getByRole('link', { name: 'Readers, versions and history' }).click()
    await heading(TITLE)
  })

  step('it shows why the newest version failed and which one is still searchable', async () => {
    await world.wiki.control.setBinaryBody(pageId)
    await run(world, flow)
    await page.goto(`${home}/documents?record=${encodeURIComponent(record)}`)
    await page.getByText('The last run failed on this document: Broken file').waitFor()
    await page.getByText('Version 2 is still searchable. Version 3 is not.').waitFor()
    const runs = page.getByRole('table', { name: 'Runs of the document' })
    await runs.getByText('Failed').waitFor()
    await settles(() => runs.getByRole('row').count(), 4)
    await examine()
  })

  step('it is found by a short address, and unknown ids say what can be the reason', async () => {
    const origin = new URL(home).origin
    for (const path of [record, encodeURIComponent(record)]) {
      await page.goto(`${origin}/documents/${path}`)
      await page.waitForURL(/\/w\/[0-9a-f-]{36}\/documents\?record=/)
      await heading(TITLE)
    }
    await page.goto(`${origin}/documents/nowhere.example/1`)
    await heading('Document not found')
    await browser.audit(page)
    await page.goto(`${home}/documents?record=nowhere.example%2F1`)
    await heading('Document not found')
    await page.getByText('No workflow reads its space').waitFor()
    await examine()
    await page.getByLabel('Title, address or record id of the document').fill('failover')
    await button('Open document').click()
    await heading(TITLE)
  })

  step('it shows viewers everything except text, and says why', async () => {
    const others = await browser.page()
    await signIn(others, world.millrace.url ?? '', await addViewer(world, 'bo@acme.example'))
    await others.getByRole('heading', { level: 1, name: 'Start' }).waitFor()
    await others.goto(`${home}/documents?record=${encodeURIComponent(record)}`)
    await others.getByText('only developers and administrators see it').waitFor()
    await others.getByRole('link', { name: 'Search for it as yourself' }).waitFor()
    await others.getByText(/^Readable by 1 person, checked/).waitFor()
    await others.getByRole('table', { name: 'Versions of the document' }).waitFor()
    assert.equal(await others.getByText('Ring the bell.').count(), 0)
    const query = { record_id: record.replace(/[^/]+$/, pdf), workflow_id: flow.workflowId, page: '1' }
    const headers = { 'x-workspace': home.split('/').at(-1) ?? '' }
    const refused = await others.request.get(
      `${new URL(home).origin}/api/v1/documents/page?${new URLSearchParams(query)}`,
      { headers },
    )
    assert.equal(refused.status(), 403, await refused.text())
    await browser.audit(others)
  })
})
