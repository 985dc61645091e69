import type { View } from '../view.ts'
import { escaped, type Macro, type MacroRenderer, type MacroTable, word } from './macro.ts'
import { mention, userOf } from './render-links.ts'
import { attribute, findAll } from './storage-tree.ts'

/** Content of other systems, and the people of a page. */
const issue = ({ world }: View, key: string): string =>
  `<span class="jira-issue" data-jira-key="${escaped(key)}"><a class="jira-issue-key" href="https://jira.acme.example/browse/${escaped(key)}">${escaped(key)}</a> - <span class="summary">${escaped(world.settings.jiraSummaries[key] ?? `Summary of ${key} in Jira`)}</span></span>`

/** One issue by key, or a table of all. */
const jira: MacroRenderer = (view, macro) => {
  const key = word(macro, 'key')
  if (key !== '') return issue(view, key)
  const keys = Object.keys(view.world.settings.jiraSummaries)
  return `<table class="jira-table aui"><tbody>${keys.map((each) => `<tr><td>${issue(view, each)}</td></tr>`).join('')}</tbody></table>`
}

function urlOf(macro: Macro): string {
  const [ri] = findAll([...macro.parameters.values()], ({ tag }) => tag === 'ri:url')
  if (ri !== undefined) return attribute(ri, 'ri:value') ?? ''
  return word(macro, 'url') || word(macro, 'src') || word(macro, '')
}

const frame: MacroRenderer = (_, macro) => `<iframe src="${escaped(urlOf(macro))}"></iframe>`

const fetched: MacroRenderer = (_, macro) =>
  `<div class="rssMacro"><a href="${escaped(urlOf(macro))}" rel="nofollow">Feed</a><p>Text from the web</p></div>`

const profile: MacroRenderer = (view, macro) => {
  const [ri] = findAll([...macro.parameters.values()], ({ tag }) => tag === 'ri:user')
  return `<span class="profile-macro">${mention(view, ri && userOf(view.world, ri))}</span>`
}

const contributors: MacroRenderer = (view) => {
  const { people } = view.world
  const ids = new Set([view.page.authorId, view.page.version.by])
  return `<span class="contributors">${[...ids].map((id) => mention(view, people.get(id))).join(', ')}</span>`
}

const userLister: MacroRenderer = (view, macro) => {
  const names = word(macro, 'groups').split(',')
  const members = [...view.world.groups.values()]
    .filter(({ name, deleted }) => names.includes(name) && !deleted)
    .flatMap(({ members: ids }) => [...ids])
  return `<ul class="userlister">${members.map((id) => `<li>${mention(view, view.world.people.get(id))}</li>`).join('')}</ul>`
}

const history: MacroRenderer = (view) => {
  const { version } = view.page
  return `<table class="change-history aui"><tbody><tr><td>Version ${version.number}</td><td>${mention(view, view.world.people.get(version.by))}</td><td>${version.when.slice(0, 10)}</td></tr></tbody></table>`
}

export const outsideMacros: MacroTable = {
  jira,
  jirachart: () => '<div class="jirachart"></div>',
  widget: frame,
  iframe: frame,
  rss: fetched,
  'html-include': fetched,
  profile,
  contributors,
  userlister: userLister,
  'change-history': history,
}
