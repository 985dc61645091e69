import assert from 'node:assert/strict'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { audit } from './audit.ts'
import { findChromium } from './chromium.ts'
import { examine } from './examine.ts'

export type Look = { width?: number; height?: number; scheme?: 'light' | 'dark'; calm?: boolean }

/** A real browser that sees nothing but the service, and remembers everything that went wrong in it. */
export type WorldBrowser = {
  /** A person of their own: cookies are not shared between pages. */
  page(look?: Look): Promise<Page>
  /** Another window of the same person. */
  another(page: Page): Promise<Page>
  /** Holds a screen against WCAG 2.2 AA and says which element breaks what. */
  audit(page: Page): Promise<void>
  /** The same in both schemes and on a phone, where nothing may be wider than the screen. */
  examine(page: Page): Promise<void>
  /** Script errors, breaches of the policy and requests to other hosts so far. */
  failures: string[]
  /** Closes it, and throws if anything failed. */
  close(): Promise<void>
  /** Closes it after something else went wrong. */
  abandon(): Promise<void>
}

// Playwright's own list, which a second switch replaces, and the pop-up of the address bar: a process of its own for
// every context, and two thirds of what a context costs.
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
      // What a page asks for elsewhere finds no way, nor does what the browser asks for by itself.
      `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${hostname}`,
    ],
  })
  const failures: string[] = []

  async function open(context: BrowserContext): Promise<Page> {
    const page = await context.newPage()
    page.on('pageerror', (error) => failures.push(`${page.url()}: ${error.message}`))
    page.on('console', (message) => {
      // The browser notes every 4xx; whether one was expected is for the journey to say.
      if (message.type() !== 'error' || message.text().startsWith('Failed to load resource')) return
      failures.push(`${page.url()}: ${message.text()}`)
    })
    return page
  }

  return {
    failures,
    async page({ width = 1280, height = 800, scheme = 'light', calm = true } = {}) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: scheme,
        reducedMotion: calm ? 'reduce' : 'no-preference',
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      context.setDefaultTimeout(15_000)
      // Watched and not intercepted, which would switch the browser's cache off; the rules above let nothing out.
      context.on('request', (request) => {
        const asked = new URL(request.url())
        if (asked.host !== host && !['data:', 'blob:'].includes(asked.protocol))
          failures.push(`a request to ${asked.host}`)
      })
      return open(context)
    },
    another: (page) => open(page.context()),
    audit,
    examine,
    async close() {
      await browser.close()
      assert.deepEqual(failures, [], 'the browser saw failures')
    },
    abandon: () => browser.close(),
  }
}
