import type { Targets } from './includes.ts'
import { excerptInclude, include, linkTo, macro, mentionOf, pageRef, taskList } from './storage-words.ts'

/** The choices for generated pages, own and foreign; repeated entries are more frequent. */
type Maker = (targets: Targets) => string

const colours = ['Grey', 'Red', 'Yellow', 'Green', 'Blue']
const labels = ['kb', 'howto', 'needs-review', 'meeting-notes']

export const ownMacros: readonly Maker[] = [
  ({ random }) =>
    macro(random.pick(['info', 'tip', 'note', 'warning', 'panel']), {
      parameters: { title: 'Mind' },
      rich: '<p>This is kept up to date by hand.</p>',
    }),
  () =>
    macro('code', { parameters: { language: 'js', title: 'sample.js' }, plain: 'if (a[b[0]]>1 && c) {}' }),
  () =>
    macro('panel', {
      parameters: { panelIcon: ':slight_smile:', panelIconId: '1f642', bgColor: '#FFF0B3' },
      rich: '<p>A panel with a colour.</p>',
    }),
  () => macro('noformat', { plain: 'GET /status HTTP/1.1\n  200 OK' }),
  ({ random }) =>
    `<p>State ${macro('status', { parameters: { title: 'IN WORK', colour: random.pick(colours) } })}</p>`,
  () => macro('expand', { parameters: { title: 'More' }, rich: '<p>Details for those who want them.</p>' }),
  () => macro('section', { rich: macro('column', { rich: '<p>A column of text.</p>' }) }),
  () => `${macro('toc')}<p>${macro('anchor', { parameters: { '': 'below' } })}An anchor.</p>`,
  () => macro('markdown', { plain: '# Heading\n\nA *marked* word.' }),
  ({ random }) => macro(random.pick(['mermaid', 'plantuml']), { plain: 'start --> finish' }),
  () => macro('of-an-app', { parameters: { config: 'INLINE' }, rich: '<p>Kept by an app.</p>' }),
  () =>
    '<ac:macro ac:name="note"><ac:parameter ac:name="title">Old</ac:parameter><ac:rich-text-body><p>From an old page.</p></ac:rich-text-body></ac:macro>',
  () =>
    '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-attribute key="panel-type">note</ac:adf-attribute><ac:adf-content><p>A panel of the new editor.</p></ac:adf-content></ac:adf-node><ac:adf-fallback><div class="panel"><p>A panel of the new editor.</p></div></ac:adf-fallback></ac:adf-extension>',
  () =>
    '<ac:adf-extension><ac:adf-node type="decision-list"><ac:adf-node type="decision-item"><ac:adf-attribute key="state">DECIDED</ac:adf-attribute><ac:adf-content>Decided as it is.</ac:adf-content></ac:adf-node></ac:adf-node></ac:adf-extension>',
  () => '<p>Due <time datetime="2026-09-30" /> <ac:placeholder>type the reason</ac:placeholder></p>',
  () =>
    '<p><a href="https://docs.acme.example/card" data-card-appearance="inline">https://docs.acme.example/card</a></p>',
  () =>
    '<ac:image ac:alt="A chart"><ri:url ri:value="https://pictures.example/chart.png" /><ac:caption><p>The chart of the year</p></ac:caption></ac:image>',
  ({ page }) =>
    taskList([[false, `Ask ${mentionOf(page.authorId)}${taskList([[true, 'and write it down']])}`]]),
  ({ page }) =>
    `<p>${mentionOf(page.authorId)} and ${macro('profile', { parameters: { user: `<ri:user ri:account-id="${page.authorId}" />` } })}</p>`,
]

const includeOther: Maker = ({ other }) => {
  const { title, spaceKey } = other()
  return include(title, spaceKey)
}

const excerptOther: Maker = ({ random, other }) => {
  const { title, spaceKey } = other()
  return excerptInclude(title, {
    ...(spaceKey === undefined ? {} : { spaceKey }),
    ...(random.chance(0.3) ? { name: 'summary' } : {}),
    nopanel: random.chance(0.5),
  })
}

const query: Maker = ({ random }) =>
  `label = "${random.pick(labels)}"${random.chance(0.7) ? ' and space = currentSpace()' : ''}`

const report =
  (name: string): Maker =>
  (targets) =>
    macro(name, { parameters: { cql: query(targets).replaceAll('"', '&quot;') } })

const plain =
  (name: string, parameters: Record<string, string> = {}): Maker =>
  () =>
    macro(name, { parameters })

const ofOther =
  (name: string, key = 'page'): Maker =>
  ({ other }) => {
    const { title, spaceKey } = other()
    return macro(name, { parameters: { [key]: linkTo(title, spaceKey) } })
  }

export const foreignMacros: readonly Maker[] = [
  includeOther,
  includeOther,
  includeOther,
  includeOther,
  includeOther,
  excerptOther,
  excerptOther,
  excerptOther,
  ({ other }) => {
    const { title, spaceKey } = other()
    const parameters = { MultiExcerptName: 'shared', PageWithExcerpt: pageRef(title, spaceKey) }
    return macro('multiexcerpt-include', { parameters })
  },
  plain('children', { all: 'true' }),
  plain('children', { excerptType: 'simple' }),
  ofOther('children'),
  plain('pagetree'),
  report('contentbylabel'),
  report('detailssummary'),
  report('content-report-table'),
  plain('tasks-report-macro'),
  plain('recently-updated', { max: '5' }),
  plain('blog-posts', { content: 'excerpts', max: '5' }),
  plain('space-attachments'),
  plain('index'),
  ofOther('attachments'),
  ofOther('gallery'),
  plain('jira', { key: 'OPS-17' }),
  plain('rss', { url: '<ri:url ri:value="https://feeds.example/all" />' }),
  plain('contributors'),
  () =>
    '<ac:adf-extension><ac:adf-node type="sync-block"><ac:adf-attribute key="resource-id">r-1</ac:adf-attribute></ac:adf-node></ac:adf-extension>',
]
