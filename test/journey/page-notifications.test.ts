import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe } from 'node:test'
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { closeDatabase, type Database, openDatabase } from '../../src/store/database.ts'
import { type EventType, recordEvent } from '../../src/store/notifications/events.ts'
import { openBrowser, type WorldBrowser } from '../world/browser.ts'
import { finders } from '../world/finders.ts'
import { until } from '../world/flow.ts'
import { ada, homeOf, signIn } from '../world/page.ts'
import { type FreshDatabase, migratedDatabase } from '../world/postgres.ts'
import { type Millrace, startMillrace } from '../world/service.ts'
import { settles } from '../world/settled.ts'
import { steps } from '../world/steps.ts'
import { startReceiver, type WebhookReceiver } from '../world/webhook-receiver.ts'

/** Problems reach the bell, the feed and a webhook that a person creates, tests, rotates and deletes. */
describe('the page of notifications', () => {
  let database: FreshDatabase
  let db: Database
  let millrace: Millrace
  let receiver: WebhookReceiver
  let browser: WorldBrowser
  let page: Page
  let home: string
  const step = steps()
  before(async () => {
    database = await migratedDatabase()
    receiver = await startReceiver()
    millrace = await startMillrace({
      databaseUrl: database.url,
      allowedHosts: [new URL(receiver.url).host],
      env: { MILLRACE_SETUP_EMAIL: ada.email, MILLRACE_SETUP_PASSWORD: ada.password },
    })
    db = openDatabase(database.url)
    browser = await openBrowser(millrace.url ?? '')
    page = await browser.page()
    await signIn(page, millrace.url ?? '', ada)
    home = await homeOf(page)
  })
  after(async () => {
    await millrace?.end('SIGTERM')
    await receiver?.close()
    await closeDatabase(db)
    await database?.drop()
    await browser?.close()
  })

  const { button, dialog, field, heading, menu, showsNotice, showsText } = finders(() => page)
  const bell = (name: string) => page.getByRole('link', { name, exact: true })
  const rows = () => page.getByRole('table', { name: 'Notifications' }).locator('tbody tr')
  const job = { job_id: randomUUID(), workflow_id: randomUUID(), workflow_name: 'Handbook' }
  const record = (type: EventType, details: object) =>
    recordEvent(db, { type, workspaceId: home.split('/').at(-1) ?? '', workflowId: null, details })
  const host = () => new URL(receiver.url).host

  step('it shows an empty feed', async () => {
    await bell('Notifications').click()
    await heading('Notifications')
    await showsText('No problems')
    await page.getByRole('tab', { name: 'All events' }).click()
    await showsText('No notifications')
    await browser.examine(page)
  })

  step('it counts unread problems at the bell', async () => {
    const counts = { new: 1200, changed: 3, removed: 0, failed: 2, unchanged: 10 }
    await record('job.scheduled', { job })
    await record('job.in_progress', { job })
    await record('job.completed', { job: { ...job, processing_status: 'COMPLETED_WITH_ERRORS', counts } })
    await record('job.failed', { job: { ...job, error_code: 'source_unreachable' } })
    await record('deletions.held_back', { job, held_back: 26 })
    await record('permissions.too_old', {
      workflow: { workflow_id: job.workflow_id, workflow_name: 'Handbook' },
      scopes: 2,
      max_permission_age_hours: 24,
    })
    await record('connector.failing', {
      connector: { connector_id: randomUUID(), kind: 'destination', name: 'Search cluster' },
      failures: 3,
      error_code: 'destination_unreachable',
    })
    await page.goto(`${home}/notifications`)
    await bell('Notifications, 4 unread').waitFor()
    await showsText('26 documents left the source and wait for approval')
    await showsText('search hides 2 spaces, because their permissions are older than 24 hours')
    await showsText('3 failures in a row. Last error: ')
    await settles(() => rows().count(), 4)
    await page.getByRole('tab', { name: 'All events' }).click()
    await showsText('1,200 new, 3 changed, 2 failed')
    // The start of the run is merged with its end.
    await settles(() => rows().count(), 5)
    await browser.examine(page)
  })

  step('it marks notifications as read', async () => {
    await button('Mark as read: Run failed').click()
    await bell('Notifications, 3 unread').waitFor()
    await button('Mark all as read').click()
    await showsNotice('6 notifications marked as read.')
    await bell('Notifications').waitFor()
    await settles(() => button('Mark as read: Run completed').count(), 0)
  })

  let secret: string
  step('it creates a webhook and shows its secret once', async () => {
    await page.goto(`${home}/settings/webhooks`)
    await heading('Settings: Webhooks')
    await showsText('No webhooks yet')
    await browser.examine(page)
    await button('New webhook').click()
    await dialog('New webhook').waitFor()
    await button('Create webhook').click()
    await page.getByText('Enter an address.').waitFor()
    await field('Address').fill('https://169.254.169.254/latest')
    await button('Create webhook').click()
    await page.getByText('it is a link-local address').waitFor()
    await browser.examine(page)
    await field('Address').fill(receiver.url)
    await field('Description').fill('To the operations chat')
    await button('Create webhook').click()
    await dialog('Signing secret').waitFor()
    secret = await field('Secret').inputValue()
    assert.match(secret, /^whsec_/)
    await browser.examine(page)
    await button('Done').click()
    await showsText('To the operations chat')
    await page.reload()
    await showsText(receiver.url)
    assert.ok(!(await page.content()).includes(secret))
  })

  step('it sends a test event and shows the delivery', async () => {
    await menu(host(), 'Send test event')
    await dialog(`Deliveries to ${host()}`).getByText('Delivered').waitFor()
    const [sent] = receiver.received
    assert.ok(new Webhook(secret).verify(sent?.body ?? '', sent?.headers ?? {}))
    await browser.examine(page)
  })

  step('it sends a delivery again', async () => {
    await button('Send again: Test').click()
    await until(
      async () => receiver.received.length,
      (count) => count === 2,
    )
    assert.equal(receiver.received[0]?.headers['webhook-id'], receiver.received[1]?.headers['webhook-id'])
    await page.keyboard.press('Escape')
  })

  step('it creates a new secret', async () => {
    await menu(host(), 'New secret')
    await dialog(`Create a new secret for ${host()}`).getByRole('button', { name: 'Create secret' }).click()
    await dialog('Signing secret').waitFor()
    assert.notEqual(await field('Secret').inputValue(), secret)
    await button('Done').click()
  })

  step('it says why a webhook was disabled', async () => {
    receiver.respond = () => ({ status: 410 })
    await record('job.failed', { job: { ...job, error_code: 'source_unreachable' } })
    const disabled = () => db.selectFrom('notification_channels').select('enabled').execute()
    await until(disabled, ([channel]) => channel?.enabled === false)
    await page.reload()
    await showsText('Disabled: the receiver wants no more events.')
    await bell('Notifications, 2 unread').waitFor()
    await menu(host(), 'Show deliveries')
    await dialog().getByText('the receiver responded with 410').waitFor()
    await browser.examine(page)
    await page.keyboard.press('Escape')
    await page.getByLabel(`Webhook to ${host()} enabled`).press('Space')
    await showsNotice(`Webhook to ${host()} enabled.`)
  })

  step('it deletes a webhook and restores it', async () => {
    await menu(host(), 'Delete')
    await dialog(`Delete the webhook to ${host()}`).getByRole('button', { name: 'Delete webhook' }).click()
    await showsText('No webhooks yet')
    await button('Undo').click()
    await showsNotice('Restored.')
    await button(`More actions for ${host()}`).waitFor()
  })
})
