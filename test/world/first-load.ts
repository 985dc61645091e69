import type { Page, Request } from 'playwright-core'

export type FirstLoad = { requests: string[]; bytes: number }

/** Everything that the browser requests until an address shows its content, with an empty cache. */
export async function firstLoad(
  page: Page,
  url: string,
  content: () => Promise<unknown>,
): Promise<FirstLoad> {
  const finished: Request[] = []
  const listen = (request: Request) => finished.push(request)
  const network = await page.context().newCDPSession(page)
  await network.send('Network.clearBrowserCache')
  page.on('requestfinished', listen)
  await page.goto(url)
  await content()
  await page.waitForLoadState('networkidle')
  page.off('requestfinished', listen)
  await network.detach()
  const sizes = await Promise.all(finished.map((request) => request.sizes()))
  return {
    requests: finished.map(
      (request, index) =>
        `${request.method()} ${new URL(request.url()).pathname}, ${(sizes[index]?.responseBodySize ?? 0) + (sizes[index]?.responseHeadersSize ?? 0)} bytes`,
    ),
    bytes: sizes.reduce((sum, { responseBodySize: body, responseHeadersSize: head }) => sum + body + head, 0),
  }
}
