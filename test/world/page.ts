import type { Page } from 'playwright-core'
import { openBrowser, type WorldBrowser } from './browser.ts'
import { WITH_FAST_EMBEDDING } from './fast-embedding.ts'
import { joinWorkspace, openPageClient, PASSWORD, type PageClient, type Session } from './person.ts'
import { openWorld, type World, type WorldOptions } from './world.ts'

export type Credentials = { email: string; password: string }

/** The first person of these worlds: a personal account with one workspace. */
export const ada: Credentials = { email: 'ada@acme.example', password: 'a mill by the water' }

export type PageWorld = {
  world: World
  browser: WorldBrowser
  /** Where Ada is signed in. */
  page: Page
  /** The address of her workspace: `${home}/jobs`. */
  home: string
  close(): Promise<void>
}

/** A world, with Ada on the page of its service. */
export async function openPage({ env, ...options }: WorldOptions): Promise<PageWorld> {
  const world = await openWorld({
    ...options,
    env: {
      ...WITH_FAST_EMBEDDING,
      MILLRACE_SETUP_EMAIL: ada.email,
      MILLRACE_SETUP_PASSWORD: ada.password,
      ...env,
    },
  })
  let browser: WorldBrowser | undefined
  async function close(): Promise<void> {
    await world.close()
    await browser?.close()
  }
  try {
    browser = await openBrowser(world.millrace.url ?? '')
    const page = await browser.page()
    await signIn(page, world.millrace.url ?? '', ada)
    return { world, browser, page, home: await homeOf(page), close }
  } catch (error) {
    await world.close()
    await browser?.abandon()
    throw error
  }
}

export async function signIn(page: Page, url: string, { email, password }: Credentials): Promise<void> {
  await page.goto(url)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

/** Once the address contains a workspace. */
export async function homeOf(page: Page): Promise<string> {
  await page.waitForURL(/\/w\/[0-9a-f-]{36}/)
  return /^.*\/w\/[0-9a-f-]{36}/.exec(page.url())?.[0] ?? ''
}

/** A key of Ada's workspace, created with her session: keys may not create keys. */
export async function makeKey(world: World, name: string): Promise<void> {
  const { admin } = await signInAsAda(world)
  const made = await admin.post('/keys', { name })
  if (made.status >= 300) throw new Error(`making the key ${name}: ${made.text}`)
}

/** Makes Ada's account a business, and adds a member to her workspace. */
export async function addViewer(
  world: World,
  email: string,
  role: 'viewer' | 'reader' = 'viewer',
): Promise<Credentials> {
  const { admin, workspace } = await signInAsAda(world)
  await admin.post('/account', { tier: 'business', organisation: 'Acme' })
  await joinWorkspace(admin, world.millrace.url ?? '', { email, role, workspace })
  return { email, password: PASSWORD }
}

/** Ada through the API, without the page. */
async function signInAsAda(world: World): Promise<{ admin: PageClient; workspace: string }> {
  const admin = openPageClient(world.millrace.url ?? '')
  await admin.signIn(ada.email, ada.password)
  const workspace = (await admin.get<Session>('/session')).body.workspaces[0]?.id ?? ''
  admin.workspace = workspace
  return { admin, workspace }
}
