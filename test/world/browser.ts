import assert from 'node:assert/strict'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { auditAccessibility } from './audit.ts'
import { findChromium } from './chromium.ts'
import { examine } from './examine.ts'

export type WindowOptions = { width?: number; height?: number; scheme?: 'light' | 'dark'; calm?: boolean }

/** A real browser that reaches only the service and records everything that fails. */
export type WorldBrowser = {
  /** A separate person: cookies are not shared between pages. */
  page(look?: WindowOptions): Promise<Page>
  /** Another window of the same person. */
  another(page: Page): Promise<Page>
  /** Checks a screen against WCAG 2.2 AA and names the failing elements. */
  audit(page: Page): Promise<void>
  /** The same in both colour schemes and on a phone, without horizontal scrolling. */
  examine(page: Page): Promise<void>
  /** Script errors, policy violations and requests to other hosts so far. */
  failures: string[]
  /** Closes it, and throws if anything failed. */
  close(): Promise<void>
  /** Closes it after another failure. */
  abandon(): Promise<void>
}

// Playwright's list, which this switch replaces, plus the address bar's pop-up.
const DISABLED_FEATURES = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades'],
  ...['HttpsFirstBalancedModeAutoEnable', 'LensOverlay', 'MediaRouter', 'PaintHolding'],
  ...['ThirdPartyStoragePartitioning', 'AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints'],
  ...['NetworkTimeServiceQuerying', 'AimEnabled', 'PreconnectToSearch'],
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup'],
]

export async function openBrowser(url: string): Promise<WorldBrowser> {
  const { host, hostname } = new URL(url)
  const browser = await chromium.launch({
    executablePath: await findChromium(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      `--disable-features=${DISABLED_FEATURES.join()}`,
      // Blocks requests to other hosts, those of the browser itself included.
      `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${hostname}`,
    ],
  })
  const failures: string[] = []

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => failures.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      // The browser reports every 4xx; the journey decides which were expected.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
      failures.push(`${page.url()}: ${message.text()}`)
    })
    return page
  }

  return {
    failures,
    async page({ width = 1280, height = 800, scheme = 'light', calm = true } = {}) {
      const context = await browser.newContext({
        // Test certificates come from an authority that the browser does not know.
        ignoreHTTPSErrors: url.startsWith('https:'),
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: calm ? 'reduce' : 'no-preference',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      context.setDefaultTimeout(60_000)
      // Observed, because intercepting would disable the browser's cache.
      context.on('request', (request) => {
        const requestUrl = new URL(request.url())
        if (requestUrl.host !== host && !['data:', 'blob:'].includes(requestUrl.protocol))
          failures.push(`a request to ${requestUrl.host}`)
      })
      return open(context)
    },
    another: (page) => open(page.context()),
    audit: auditAccessibility,
    examine,
    async close() {
      await browser.close()
      assert.deepEqual(failures, [], 'the browser saw failures')
    },
    abandon: () => browser.close(),
  }
}
