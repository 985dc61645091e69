import type { View } from '../view.ts'
import {
  escapeMarkup,
  type MacroRenderer,
  type MacroTable,
  parameterText,
  type StoredMacro,
} from './macro.ts'
import { renderMention, userOf } from './render-links.ts'
import { attribute, findAll } from './storage-tree.ts'

/** Content of other systems, and the people of a page. */
const issue = ({ world }: View, key: string): string =>
  `<span class="jira-issue" data-jira-key="${escapeMarkup(key)}"><a class="jira-issue-key" href="https://jira.acme.example/browse/${escapeMarkup(key)}">${escapeMarkup(key)}</a> - <span class="summary">${escapeMarkup(world.settings.jiraSummaries[key] ?? `Summary of ${key} in Jira`)}</span></span>`

/** One issue by key, or a table of all. */
const jira: MacroRenderer = (view, macro) => {
  const key = parameterText(macro, 'key')
  if (key !== '') return issue(view, key)
  const keys = Object.keys(view.world.settings.jiraSummaries)
  return `<table class="jira-table aui"><tbody>${keys.map((each) => `<tr><td>${issue(view, each)}</td></tr>`).join('')}</tbody></table>`
}

function urlOf(macro: StoredMacro): string {
  const [ri] = findAll([...macro.parameters.values()], ({ tag }) => tag === 'ri:url')
  if (ri !== undefined) return attribute(ri, 'ri:value') ?? ''
  return parameterText(macro, 'url') || parameterText(macro, 'src') || parameterText(macro, '')
}

const frame: MacroRenderer = (_, macro) => `<iframe src="${escapeMarkup(urlOf(macro))}"></iframe>`

const feed: MacroRenderer = (_, macro) =>
  `<div class="rssMacro"><a href="${escapeMarkup(urlOf(macro))}" rel="nofollow">Feed</a><p>Text from the web</p></div>`

const profile: MacroRenderer = (view, macro) => {
  const [ri] = findAll([...macro.parameters.values()], ({ tag }) => tag === 'ri:user')
  return `<span class="profile-macro">${renderMention(view, ri && userOf(view.world, ri))}</span>`
}

const contributors: MacroRenderer = (view) => {
  const { people } = view.world
  const ids = new Set([view.page.authorId, view.page.version.by])
  return `<span class="contributors">${[...ids].map((id) => renderMention(view, people.get(id))).join(', ')}</span>`
}

const userLister: MacroRenderer = (view, macro) => {
  const names = parameterText(macro, 'groups').split(',')
  const members = [...view.world.groups.values()]
    .filter(({ name, deleted }) => names.includes(name) && !deleted)
    .flatMap(({ members: ids }) => [...ids])
  return `<ul class="userlister">${members.map((id) => `<li>${renderMention(view, view.world.people.get(id))}</li>`).join('')}</ul>`
}

const history: MacroRenderer = (view) => {
  const { version } = view.page
  return `<table class="change-history aui"><tbody><tr><td>Version ${version.number}</td><td>${renderMention(view, view.world.people.get(version.by))}</td><td>${version.when.slice(0, 10)}</td></tr></tbody></table>`
}

export const externalMacros: MacroTable = {
  jira,
  jirachart: () => '<div class="jirachart"></div>',
  widget: frame,
  iframe: frame,
  rss: feed,
  'html-include': feed,
  profile,
  contributors,
  userlister: userLister,
  'change-history': history,
}
