/** The HTML that the wiki's own editor would have made, in small words. */
export const p = (...texts: string[]): string => texts.map((text) => `<p>${text}</p>`).join('')
export const h2 = (text: string): string => `<h2 id="${text.replaceAll(/[^A-Za-z0-9]+/g, '-')}">${text}</h2>`
export const h3 = (text: string): string => `<h3 id="${text.replaceAll(/[^A-Za-z0-9]+/g, '-')}">${text}</h3>`
export const ul = (items: readonly string[]): string =>
  `<ul>${items.map((item) => `<li><p>${item}</p></li>`).join('')}</ul>`
export const ol = (items: readonly string[]): string =>
  `<ol>${items.map((item) => `<li><p>${item}</p></li>`).join('')}</ol>`

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const top = head.map((cell) => `<th class="confluenceTh"><p><strong>${cell}</strong></p></th>`).join('')
  const body = rows.map(
    (row) => `<tr>${row.map((cell) => `<td class="confluenceTd"><p>${cell}</p></td>`).join('')}</tr>`,
  )
  return `<div class="table-wrap"><table data-layout="default" class="confluenceTable"><tbody><tr>${top}</tr>${body.join('')}</tbody></table></div>`
}

export function code(language: string, source: string): string {
  const safe = source.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<div class="code panel pdl" style="border-width: 1px;"><div class="codeContent panelContent pdl"><pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: ${language}; gutter: false; theme: Confluence" data-theme="Confluence">${safe}</pre></div></div>`
}

export const info = (text: string): string => panel('info', 'information', text)
export const note = (text: string): string => panel('note', 'note', text)
export const warning = (text: string): string => panel('warning', 'warning', text)

export function tasks(items: readonly (readonly [done: boolean, text: string])[]): string {
  const lines = items.map(
    ([done, text], at) =>
      `<li${done ? ' class="checked"' : ''} data-inline-task-id="${at + 1}"><span class="placeholder-inline-tasks">${text}</span></li>`,
  )
  return `<ul class="inline-task-list">${lines.join('')}</ul>`
}

export function status(text: string, colour: 'success' | 'current' | 'error' = 'success'): string {
  return `<span class="status-macro aui-lozenge aui-lozenge-visual-refresh aui-lozenge-${colour}">${text}</span>`
}

function panel(macro: string, name: string, text: string): string {
  return `<div class="confluence-information-macro confluence-information-macro-${name} conf-macro output-block" data-hasbody="true" data-macro-name="${macro}"><span class="aui-icon aui-icon-small confluence-information-macro-icon"></span><div class="confluence-information-macro-body"><p>${text}</p></div></div>`
}
