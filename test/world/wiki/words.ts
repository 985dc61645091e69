import type { Random } from './model/random.ts'

/** Vocabularies by topic, so that searches find pages of one topic. */
export interface Topic {
  name: string
  label: string
  things: readonly string[]
  actions: readonly string[]
  qualities: readonly string[]
}

const topic = (name: string, things: string, actions: string, qualities: string): Topic => ({
  name,
  label: name.toLowerCase().replaceAll(' ', '-'),
  things: things.split(', '),
  actions: actions.split(', '),
  qualities: qualities.split(', '),
})

export const topics: readonly Topic[] = [
  topic(
    'Payments',
    'payment gateway, settlement file, ledger, card authorisation, refund, chargeback, acquirer, idempotency key, invoice, direct debit mandate, exchange rate, reconciliation report, payout batch, merchant account, tokenised card, dunning schedule, fee table, clearing window, bank statement, webhook signature',
    'reconcile, settle, capture, refund, authorise, void, tokenise, retry, post, match',
    'outstanding, duplicate, partially captured, disputed, settled, cross-border, recurring, overdue',
  ),
  topic(
    'Deployment',
    'release train, canary, rollback, feature flag, build pipeline, artefact registry, container image, manifest, staging cluster, blue-green switch, smoke test, change window, deploy token, version tag, health probe, node pool, autoscaler, config map, migration step, release note',
    'deploy, promote, roll back, tag, freeze, drain, pin, ship, gate, verify',
    'immutable, staged, reproducible, green, frozen, signed, stale, automated',
  ),
  topic(
    'Databases',
    'replica, primary, index, vacuum, connection pool, query plan, backup, point-in-time recovery, schema migration, partition, deadlock, write-ahead log, failover, sequence, foreign key, statement timeout, shard, snapshot, hot standby, table bloat',
    'migrate, index, restore, vacuum, replicate, shard, archive, analyse, fail over, dump',
    'read-only, lagging, normalised, consistent, bloated, logical, physical, unlogged',
  ),
  topic(
    'Networking',
    'load balancer, firewall rule, subnet, peering link, certificate, DNS record, proxy, ingress, latency budget, packet loss, VPN tunnel, route table, rate limit, TLS handshake, content delivery network, keep-alive, circuit breaker, egress gateway, bastion host, health check',
    'route, terminate, peer, throttle, resolve, block, allow, renew, trace, mirror',
    'private, public, encrypted, saturated, redundant, idle, regional, anycast',
  ),
  topic(
    'Security',
    'access review, secret, vault, threat model, penetration test, vulnerability, audit trail, single sign-on, hardware key, phishing report, incident channel, data classification, encryption key, least privilege role, supplier assessment, patch level, session token, allow list, security champion, retention rule',
    'rotate, revoke, audit, patch, disclose, classify, encrypt, contain, review, escalate',
    'critical, exposed, mitigated, confidential, privileged, expired, accepted, external',
  ),
  topic(
    'People',
    'onboarding plan, probation, performance review, parental leave, salary band, career ladder, interview loop, referral bonus, one-to-one, feedback round, working time, remote allowance, training budget, equal pay report, exit interview, sabbatical, holiday request, sick note, works council, engagement survey',
    'hire, onboard, promote, mentor, interview, approve, coach, survey, relocate, review',
    'part-time, remote, senior, confidential, voluntary, fair, annual, flexible',
  ),
  topic(
    'Finance',
    'budget, forecast, accrual, cost centre, purchase order, month-end close, cash flow, audit, expense report, depreciation, revenue recognition, invoice run, credit note, payroll, variance, quarter, board pack, tax return, procurement, gross margin',
    'forecast, accrue, close, approve, allocate, invoice, audit, reimburse, consolidate, write off',
    'quarterly, unbudgeted, recurring, capitalised, variable, fixed, provisional, audited',
  ),
  topic(
    'Marketing',
    'campaign, landing page, newsletter, persona, funnel, brand guide, webinar, press release, conversion rate, customer story, keyword, event booth, tagline, newsletter segment, A/B test, referral programme, social calendar, media kit, product launch, churn survey',
    'launch, segment, brief, publish, sponsor, target, rebrand, pitch, nurture, measure',
    'organic, paid, seasonal, loyal, qualified, regional, localised, evergreen',
  ),
  topic(
    'Sales',
    'pipeline, renewal, quote, discount, account plan, discovery call, territory, commission, order form, procurement portal, reference customer, win rate, proof of concept, security questionnaire, upsell, churn risk, champion, contract, price list, forecast call',
    'quote, negotiate, renew, qualify, close, upsell, demo, forecast, discount, hand over',
    'strategic, stalled, committed, inbound, multi-year, at-risk, closed, warm',
  ),
  topic(
    'Analytics',
    'dashboard, metric, event stream, cohort, warehouse, data contract, experiment, retention curve, query, lineage, dimension table, freshness check, notebook, anomaly, sampling rate, attribution model, funnel report, data steward, materialised view, data dictionary',
    'aggregate, backfill, model, chart, sample, validate, join, export, segment, document',
    'weekly, late, deduplicated, certified, exploratory, anonymised, incremental, real-time',
  ),
  topic(
    'Mobile',
    'push notification, app store review, crash report, deep link, offline cache, onboarding screen, release channel, device farm, biometric login, battery usage, tablet layout, dark theme, permission prompt, app bundle, beta tester, accessibility label, gesture, local storage, splash screen, rollout percentage',
    'render, cache, localise, submit, profile, animate, sync, sign, test, throttle',
    'native, offline, accessible, sluggish, localised, experimental, adaptive, minimum',
  ),
  topic(
    'Support',
    'ticket, escalation, service level, knowledge base, macro, satisfaction score, handover, on-call rota, status page, root cause, workaround, first response, backlog, customer call, refund request, triage, shift plan, apology, follow-up, severity',
    'triage, escalate, resolve, reopen, apologise, document, hand over, reproduce, tag, merge',
    'urgent, recurring, unresolved, known, seasonal, first-line, breached, satisfied',
  ),
]

const openings = [
  'The team agreed that',
  'In practice',
  'Since the last review',
  'As of this quarter',
  'For most customers',
  'When in doubt',
  'During the incident',
  'Before every release',
  'According to the audit',
  'On weekdays',
  'After the migration',
  'Unless noted otherwise',
  'To keep the noise down',
  'As a rule',
  'Over the past month',
]
const reasons = [
  'because nobody noticed it in time',
  'so that the next person on call is not surprised',
  'which saves about two hours a week',
  'as the regulator expects',
  'and the owner writes down why',
  'before anything else is touched',
  'at the end of the month',
  'unless the duty manager decides otherwise',
  'within one working day',
  'and the result is posted in the channel',
  'since the old way lost data twice',
  'while traffic is low',
  'with a second pair of eyes',
  'for at least ninety days',
]

export function sentence(random: Random, { things, actions, qualities }: Topic): string {
  const thing = random.pick(things)
  const other = random.pick(things)
  const action = random.pick(actions)
  const quality = random.pick(qualities)
  switch (random.int(0, 5)) {
    case 0:
      return `${random.pick(openings)} we ${action} the ${thing} ${random.pick(reasons)}.`
    case 1:
      return `A ${quality} ${thing} is not the same as a ${random.pick(qualities)} ${other}, and the ${random.pick(things)} shows which one it is.`
    case 2:
      return `${random.pick(openings)} the ${quality} ${thing} and the ${other} are checked together ${random.pick(reasons)}.`
    case 3:
      return `Do not ${action} the ${thing} while the ${other} is ${quality}; wait ${random.int(5, 90)} minutes and look at the ${random.pick(things)} again.`
    case 4:
      return `About ${random.int(3, 97)} % of every ${thing} ends up with a ${quality} ${other}, ${random.pick(reasons)}.`
    default:
      return `Ask the owner of the ${thing} to ${action} it ${random.pick(reasons)}; the ${other} follows on its own.`
  }
}

export function paragraph(random: Random, about: Topic, sentences = random.int(2, 6)): string {
  return Array.from({ length: sentences }, () => sentence(random, about)).join(' ')
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export function pageTitle(random: Random, about: Topic): string {
  const thing = random.pick(about.things)
  const action = random.pick(about.actions)
  switch (random.int(0, 7)) {
    case 0:
      return `Runbook: ${thing}`
    case 1:
      return `How we ${action} the ${thing}`
    case 2:
      return `Meeting notes 2026-${two(random.int(1, 9))}-${two(random.int(1, 28))}: ${thing}`
    case 3:
      return `Decision: ${action} the ${thing}`
    case 4:
      return `${capital(random.pick(about.qualities))} ${thing} FAQ`
    case 5:
      return `${about.name} ${random.pick(['overview', 'roadmap', 'glossary', 'checklist', 'retrospective'])} – ${thing}`
    case 6:
      return `Postmortem: ${random.pick(about.qualities)} ${thing}`
    default:
      return `${capital(thing)} guide`
  }
}

const two = (value: number): string => String(value).padStart(2, '0')
