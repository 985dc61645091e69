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
    const emoticons: Record<string, string> = { tick: '✅', cross: '❌', smile: '🙂' }
    const each = (selector: string) => [...main.querySelectorAll(selector)]
    const emoji = ({ dataset, alt }: Picture) =>
      dataset.emojiFallback ??
      dataset.emojiId?.replace(/-?([^-]+)/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16))) ??
      emoticons[dataset.emoticonName ?? ''] ??
      alt

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
      return { text: main.innerText, pictures }
    })
  }, pages)
}
