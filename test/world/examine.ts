import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Page } from 'playwright-core'
import { auditAccessibility, waitForTransitions } from './audit.ts'

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 360, height: 740 }

/** The folder for pictures of examined screens; optional. */
const folder = process.env.MILLRACE_SCREENS
const journey = basename(process.argv[1] ?? '').split('.')[0]
let pictureCount = 0

/** Checks a screen in both colour schemes and on a phone; leaves it wide and light. */
export async function examine(page: Page): Promise<void> {
  const name = folder ? nameOf(page) : ''
  for (const [scheme, size] of [
    ['dark', WIDE],
    ['light', WIDE],
    ['light', PHONE],
  ] as const) {
    await show(page, scheme, size)
    await auditAccessibility(page, scheme === 'dark' ? 'colours' : 'all')
    if (folder) await picture(page, `${name}-${scheme}-${size.width}`)
  }
  const tooWide = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  assert.equal(tooWide, 0, `${page.url()} scrolls sideways on a phone`)
  if (folder) {
    await show(page, 'dark', PHONE)
    await picture(page, `${name}-dark-${PHONE.width}`)
  }
  await show(page, 'light', WIDE)
}

async function show(page: Page, colorScheme: 'light' | 'dark', size: typeof WIDE): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(size)
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
  // Some layouts are replaced a frame after the size changes.
  await waitForTransitions(page)
}

async function picture(page: Page, name: string): Promise<void> {
  await waitForTransitions(page)
  // Fixed elements would otherwise be painted in the middle of it.
  await page.evaluate('scrollTo(0, 0)')
  await mkdir(folder ?? '', { recursive: true })
  await page.screenshot({ path: join(folder ?? '', `${name}.png`), fullPage: true })
}

function nameOf(page: Page): string {
  pictureCount++
  const { pathname } = new URL(page.url())
  const place = pathname.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '').replaceAll(/[^a-z]+/gi, '-')
  return `${journey}-${String(pictureCount).padStart(2, '0')}${place.replace(/^-w-/, '-').replace(/-$/, '')}`
}
