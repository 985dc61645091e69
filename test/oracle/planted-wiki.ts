import { createRandom, type Random } from '../world/wiki/model/random.ts'
import type { Wiki } from '../world/wiki/start.ts'

/** Creates pages with unique words that quote other pages at random. */
export type Planted = { spaces: string[]; pages: PlantedPage[] }
export type PlantedPage = {
  id: string
  title: string
  words: string[]
  /** A word that the page hides from some of its readers. */
  hidden: string
}

type Target = { title: string; space: string }
type Row = { principal: Principal; operation: { key: string; targetType: string } }
type Principal = { type: 'user' | 'group' | 'access-class'; id: string }

export async function plantWords(
  { control }: Wiki,
  { seed, pages: count }: { seed: number; pages: number },
): Promise<Planted> {
  const random = createRandom(seed)
  const { people, groups } = await control.truth()
  const users = people.map(({ accountId }) => accountId)
  const groupIds = groups.filter(({ deleted }) => !deleted).map(({ id }) => id)
  const spaces = await addSpaces()

  const targets = Array.from({ length: count }, (_, at): Target => {
    return { title: `Page ${word('h', at)}`, space: random.pick(spaces) }
  })
  const pages: PlantedPage[] = []
  for (const [at, target] of targets.entries()) {
    const inSpace = pages.filter((_, other) => targets[other]?.space === target.space)
    const parent = random.chance(0.6) && inSpace.length > 0 ? { parentId: random.pick(inSpace).id } : {}
    const id = await control.createPage({ ...target, ...parent, body: '<p>empty</p>' })
    pages.push({ id, title: target.title, words: OWN.map((kind) => word(kind, at)), hidden: word('v', at) })
    await control.labelPage(id, [random.pick(LABELS)])
    if (random.chance(0.35)) await control.restrict(id, { read: randomPrincipals(0, 3) })
  }
  // Bodies come last, so that they can quote later pages.
  for (const [at, page] of pages.entries()) {
    const quotes = Array.from({ length: random.int(1, 4) }, () => quote(random, targets))
    await control.editPage(page.id, { body: bodyOf(random, at, quotes) })
    if (random.chance(0.3)) {
      await control.addComment(page.id, { body: `<p>${word('k', at)}</p>${quote(random, targets)}` })
      page.words.push(word('k', at))
    }
  }
  const deleted = pages.filter(() => random.chance(0.06))
  for (const { id } of deleted) await control[random.chance(0.5) ? 'trashPage' : 'deletePage'](id)
  return { spaces, pages: pages.filter((page) => !deleted.includes(page)) }

  async function addSpaces(): Promise<string[]> {
    const keys = ['PLA', 'PLB', 'PLC', 'PLD']
    for (const key of keys)
      await control.addSpace({ key, name: `Planted ${key}`, permissions: readersOf(key) })
    return keys
  }

  function readersOf(key: string): Row[] {
    const reading = { key: 'read', targetType: 'space' }
    const grant = (principal: Principal): Row => ({ principal, operation: reading })
    if (key === 'PLA') return [grant({ type: 'access-class', id: 'all-licensed-users' })]
    if (key === 'PLB') return [grant({ type: 'access-class', id: 'anonymous-users' })]
    const { users: named, groups: teams } = randomPrincipals(2, 4)
    return [
      ...named.map((id) => grant({ type: 'user', id })),
      ...teams.map((id) => grant({ type: 'group', id })),
    ]
  }

  function randomPrincipals(from: number, to: number): { users: string[]; groups: string[] } {
    const named = random.some(users, random.int(from, to))
    const teams = random.some(groupIds, random.int(0, 2))
    return named.length + teams.length > 0
      ? { users: named, groups: teams }
      : { users: [users[0]!], groups: [] }
  }
}

/** Kinds of own text on a page. */
const OWN = ['p', 'e', 'd', 't', 'c', 's']
const LABELS = ['alpha', 'beta', 'gamma']

/** No word is part of another. */
function word(kind: string, at: number): string {
  return `zq${kind}${String(at).padStart(4, '0')}x`
}

function bodyOf(random: Random, at: number, quotes: string[]): string {
  const own = [
    `<p>${word('p', at)}</p>`,
    macro('excerpt', { name: 'x' }, `<p>${word('e', at)}</p>`),
    macro('details', {}, `<table><tbody><tr><th>State</th><td>${word('d', at)}</td></tr></tbody></table>`),
    `<ac:task-list><ac:task><ac:task-id>${at}</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>${word('t', at)}</ac:task-body></ac:task></ac:task-list>`,
    `<table><tbody><tr><td>${word('c', at)}</td></tr></tbody></table>`,
    `<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[${word('s', at)}]]></ac:plain-text-body></ac:structured-macro>`,
  ]
  const hidden = random.pick(HIDING)(`<p>${word('v', at)}</p>`)
  const around = quotes.map((each) => random.pick(WRAPPERS)(each))
  return random.some([...own, hidden, ...around], own.length + 1 + around.length).join('\n')
}

const WRAPPERS: ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `<p>${inner}</p>`,
  (inner) => macro('info', { title: 'Note' }, inner),
  (inner) => macro('expand', { title: 'More' }, inner),
  (inner) => macro('some-app-macro', { key: 'v' }, inner),
  (inner) => extension(app('some-app', inner)),
  (inner) => macro('excerpt', { name: 'y' }, inner),
  (inner) => `<table><tbody><tr><td>${inner}</td></tr></tbody></table>`,
  (inner) => `<ul><li>${inner}</li></ul>`,
  (inner) =>
    `<ac:layout><ac:layout-section ac:type="single"><ac:layout-cell>${inner}</ac:layout-cell></ac:layout-section></ac:layout>`,
]

/** Ways to hide text from some readers. */
const HIDING: ((inner: string) => string)[] = [
  (inner) => macro('show-if', { group: 'x' }, inner),
  (inner) => extension(app('hide-if', inner)),
  (inner) => extension(app('visibility-show-if', inner)),
  (inner) => extension(app('excerpt', inner, '<ac:adf-parameter key="hidden">true</ac:adf-parameter>')),
  (inner) =>
    extension(
      `<ac:adf-node type="bodied-extension"><ac:adf-content>${inner}</ac:adf-content><ac:adf-attribute key="extension-key">a/e/static/show-if</ac:adf-attribute></ac:adf-node><ac:adf-fallback>${inner}</ac:adf-fallback>`,
    ),
  (inner) =>
    `<ac:structured-macro ac:name="unmigrated-wiki-markup"><ac:plain-text-body><![CDATA[{show-if:group=x}${inner}{show-if}]]></ac:plain-text-body></ac:structured-macro>`,
]

function quote(random: Random, targets: Target[]): string {
  const target = random.chance(0.1) ? { title: 'No such page', space: 'PLA' } : random.pick(targets)
  const label = random.pick(LABELS)
  const page = `<ac:link><ri:page ri:content-title="${target.title}" ri:space-key="${target.space}" /></ac:link>`
  // The fallback of an app's macro is a copy of the other page.
  const copy = `<ac:adf-fallback><p>${word('p', targets.indexOf(target))}</p></ac:adf-fallback>`
  return random.pick([
    extension(app('include') + copy),
    extension(copy + app('some-report')),
    macro('include', { '': page }),
    macro('include', { '': page }),
    macro('excerpt-include', { '': page }),
    macro('excerpt-include', { '': page, name: 'x', nopanel: 'true' }),
    macro('multiexcerpt-include', { MultiExcerptName: 'x', PageWithExcerpt: page }),
    macro('children', { all: 'true', excerptType: 'simple' }),
    macro('children', { '': page, depth: '2' }),
    macro('contentbylabel', { cql: `label = "${label}"`, showLabels: 'false', excerptType: 'simple' }),
    macro('detailssummary', { cql: `label = "${label}"`, headings: 'State' }),
    macro('content-report-table', { labels: label }),
    macro('tasks-report-macro', { spaces: target.space }),
    macro('recently-updated', { spaces: target.space }),
    macro('index', {}),
  ])
}

const extension = (inner: string) => `<ac:adf-extension>${inner}</ac:adf-extension>`

/** A macro of an app, without a body if it is missing. */
function app(name: string, body?: string, parameters = ''): string {
  const content = body === undefined ? '' : `<ac:adf-content>${body}</ac:adf-content>`
  return `<ac:adf-node type="${body === undefined ? 'extension' : 'bodied-extension'}"><ac:adf-attribute key="extension-key">a/e/static/${name}</ac:adf-attribute><ac:adf-attribute key="parameters">${parameters}</ac:adf-attribute>${content}</ac:adf-node>`
}

function macro(name: string, parameters: Record<string, string>, body?: string): string {
  const parameterTags = Object.entries(parameters)
    .map(
      ([key, value]) =>
        `<ac:parameter ac:name="${key}">${value.startsWith('<') ? value : escapeXml(value)}</ac:parameter>`,
    )
    .join('')
  const rich = body === undefined ? '' : `<ac:rich-text-body>${body}</ac:rich-text-body>`
  return `<ac:structured-macro ac:name="${name}" ac:schema-version="1">${parameterTags}${rich}</ac:structured-macro>`
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
