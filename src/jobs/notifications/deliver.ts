import type { Egress } from '../../connectors/egress/egress.ts'
import { AppError, explain } from '../../errors.ts'
import { hideAll, type Release } from '../../log/redaction.ts'
import type { Database } from '../../store/database.ts'
import {
  type ClaimedDelivery,
  channelsToDeliver,
  claimDelivery,
  type FailedAttempt,
  recordDelivered,
  recordFailedAttempt,
  returnDelivery,
} from '../../store/notifications/deliveries.ts'
import type { Handler, TaskQueue } from '../queue/engine.ts'
import type { Resources } from '../resources.ts'
import { retryDelayMs } from './retry-delay.ts'
import { sendWebhook } from './send-webhook.ts'

/** Then other channels have their turn. */
const BATCH = 20
/** So that a slow receiver does not hold a worker either. */
const TURN_MS = 20_000

type DeliveryResources = Pick<Resources, 'db' | 'vault' | 'hide'> & { egress: Egress }

/** Sends what is due in one channel, one after the other; ends at the first failure, so that it holds no worker. */
export function deliverTask(resources: DeliveryResources): Handler<'deliver'> {
  const { db } = resources
  return async ({ channelId }, { signal }) => {
    const startedAt = Date.now()
    for (let count = 0; count < BATCH && Date.now() - startedAt < TURN_MS; count++) {
      const delivery = await claimDelivery(db, channelId)
      if (!delivery) return
      if (!(await attempt(delivery, resources, signal))) return
    }
  }
}

/** Workers send deliveries that the transactions of events left. */
export async function sendDueDeliveries({ db, engine }: { db: Database; engine: TaskQueue }): Promise<void> {
  for (const channelId of await channelsToDeliver(db)) await engine.send('deliver', { channelId })
}

export function channelSealBinding(channel: { workspace_id: string; id: string }): string {
  return `channel:${channel.workspace_id}:${channel.id}`
}

async function attempt(
  delivery: ClaimedDelivery,
  resources: DeliveryResources,
  signal: AbortSignal,
): Promise<boolean> {
  const { db, egress } = resources
  try {
    const { secrets, release } = openWebhookSecrets(delivery, resources)
    const response = await sendWebhook(egress, { ...delivery, secrets }, signal).finally(release)
    if (response.isDelivered) {
      await recordDelivered(db, delivery, response.status)
      return true
    }
    const { status, isGone, pauseMs } = response
    const error = `the receiver responded with ${status}`
    await fail(delivery, { db, failure: { responseStatus: status, error, isGone, pauseMs } })
  } catch (error) {
    if (signal.aborted) await returnDelivery(db, delivery.id)
    if (signal.aborted || !(error instanceof AppError)) throw error
    const { message } = explain(error)
    await fail(delivery, {
      db,
      failure: { responseStatus: null, error: message, isGone: false, pauseMs: null },
    })
  }
  return false
}

async function fail(
  delivery: ClaimedDelivery,
  { db, failure }: { db: Database; failure: Omit<FailedAttempt, 'retryInMs'> },
): Promise<void> {
  const isLast = failure.isGone || delivery.attempts >= delivery.max_attempts
  const retryInMs = isLast ? null : retryDelayMs(delivery.attempts, failure)
  await recordFailedAttempt(db, delivery, { ...failure, retryInMs })
}

function openWebhookSecrets(
  { workspace_id, channel_id: id, secrets }: ClaimedDelivery,
  { vault, hide }: DeliveryResources,
): { secrets: string[]; release: Release } {
  const opened = secrets.map((sealed) => vault.open(sealed, channelSealBinding({ workspace_id, id })))
  return { secrets: opened, release: hideAll(hide, opened) }
}
