/** Pieces of page bodies, as the wiki's editor stores them. */
const quoted = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
/** An attached picture of the page itself. */
export const ownImage = (title: string) =>
  `<ac:image><ri:attachment ri:filename="${quoted(title)}" /></ac:image>`
/** A picture by its address. */
export const imageAt = (url: string, alt = '') =>
  `<ac:image ac:alt="${quoted(alt)}"><ri:url ri:value="${quoted(url)}" /></ac:image>`
/** A picture of another page. */
export const imageOf = (title: string, page: string, alt = '') =>
  `<ac:image ac:alt="${quoted(alt)}"><ri:attachment ri:filename="${quoted(title)}"><ri:page ri:content-title="${quoted(page)}" /></ri:attachment></ac:image>`
export const emoji =
  '<ac:emoticon ac:emoji-fallback="😀" ac:emoji-id="1f600" ac:emoji-shortname=":grinning:" ac:name="blue-star" />'

/** A macro with its content. */
export const macro = (name: string, inside = '') =>
  `<ac:structured-macro ac:name="${name}">${inside}</ac:structured-macro>`
/** A macro that includes the page with this title. */
export const includePage = (title: string) =>
  macro(
    'include',
    `<ac:parameter ac:name=""><ac:link><ri:page ri:content-title="${quoted(title)}" /></ac:link></ac:parameter>`,
  )
