import type { Page } from 'playwright-core'

/** What the wiki's own style sheets hide. */
const SHEET =
  '.hidden, .assistive, .print-only, .aui-icon, .expand-hidden, .katex-mathml { display: none !important }'

type Picture = { dataset: Record<string, string | undefined>; alt: string }

export async function preparePage(page: Page): Promise<void> {
  await page.setContent(`<!doctype html><style>${SHEET}</style><main></main>`)
}

/**
 * The visible text of each page, with the differences that docs/elements.md lists. Removes text without size or
 * opacity, which `innerText` includes.
 */
export function readVisibleText(
  page: Page,
  pages: string[],
): Promise<{ text: string; pictures: string[] }[]> {
  return page.locator('main').evaluate((main, all) => {
    const view = main.ownerDocument.defaultView
    const [TEXT_NODES, FOLLOWING] = [4, 4]
    const emoticons: Record<string, string> = { tick: '✅', cross: '❌', smile: '🙂' }
    const each = (selector: string) => [...main.querySelectorAll(selector)]
    const emoji = ({ dataset, alt }: Picture) =>
      dataset.emojiFallback ??
      dataset.emojiId?.replace(/-?([^-]+)/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))) ??
      emoticons[dataset.emoticonName ?? ''] ??
      alt

    const textsIn = (part: typeof main) => {
      const walker = main.ownerDocument.createTreeWalker(part, TEXT_NODES)
      const found: { node: typeof main; parent: typeof main; data: string }[] = []
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const { parentElement: parent, data } = node
        if (/\S/.test(data) && parent.checkVisibility({ visibilityProperty: true }))
          found.push({ node, parent, data })
      }
      return found
    }
    /** A browser draws numbers and check boxes, but does not copy them. */
    const markOf = (item: typeof main) => {
      const list = item.parentElement
      if (item.dataset.inlineTaskId !== undefined) return item.classList.contains('checked') ? '☑' : '☐'
      if (list.tagName !== 'OL') return ''
      const items = [...list.children].filter((each) => each.tagName === 'LI')
      return `${list.start + items.indexOf(item)}.`
    }

    return all.map((html) => {
      main.innerHTML = html
      for (const part of each('.toc-macro, svg :is(defs, title, desc)')) part.remove()
      for (const part of each('.expand-content')) {
        part.classList.remove('expand-hidden')
        part.style.cssText = ''
      }
      for (const part of each('details')) part.setAttribute('open', '')
      for (const part of each('.status-macro, .aui-lozenge')) part.before(' ')
      for (const part of each('time:empty')) part.append(part.dateTime)
      for (const part of each('script[type=syntaxhighlighter]')) {
        part.outerHTML = part.outerHTML
          .replace(/<script[^>]*><!.CDATA./, '<pre>')
          .replace(/..><.script>$/, '')
      }
      for (const part of each('annotation[encoding="application/x-tex"]')) {
        const whole = part.closest('.katex') ?? part.closest('math')
        whole.replaceWith(part.textContent)
      }
      const unseen = each('*').filter((part) => {
        const { opacity, fontSize } = view.getComputedStyle(part)
        return opacity === '0' || fontSize === '0px'
      })
      for (const part of unseen) part.remove()
      const pictures: string[] = []
      for (const picture of each('img')) {
        const isSeen = picture.checkVisibility({ visibilityProperty: true })
        const inTable = picture.closest('td, th') && !picture.closest('.panelMacro')
        const isEmoji = picture.className.includes('emoticon')
        const isCarried = picture.src.startsWith('data:')
        const { alt } = picture
        if (isSeen && !isEmoji && (isCarried || (alt !== '' && !inTable))) pictures.push(alt)
        picture.replaceWith(isEmoji && isSeen ? emoji(picture) : isSeen && inTable ? ` ${alt} ` : '')
      }
      for (const label of each('.status-macro, .aui-lozenge')) {
        const next = textsIn(main).find(
          (text) => !label.contains(text.node) && label.compareDocumentPosition(text.node) & FOLLOWING,
        )
        if (/^[\p{L}\p{N}]/u.test(next?.data ?? '')) label.after(' ')
      }
      for (const item of each('li')) {
        const mark = markOf(item)
        const first = textsIn(item).find(({ parent }) => item.closest('table') || !parent.closest('pre'))
        const inner = first?.parent.closest('li, table')
        if (mark !== '' && inner?.contains(item)) first?.node.before(`${mark} `)
      }
      return { text: main.innerText, pictures }
    })
  }, pages)
}
