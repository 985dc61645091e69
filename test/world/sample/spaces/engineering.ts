import {
  children,
  code,
  expand,
  h2,
  info,
  mentionPerson,
  ol,
  p,
  status,
  table,
  tasks,
  toc,
  ul,
  warning,
} from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Engineering: open to all, except postmortems, which only engineers read. */
export const engineeringPages: SamplePage[] = [
  {
    slug: 'eng-home',
    space: 'ENG',
    title: 'Engineering',
    author: 'tomas',
    created: '2023-11-08T09:00:00.000Z',
    modified: '2026-06-02T09:00:00.000Z',
    body:
      p(
        'How Brook is built and kept running. Six services, one database each, and one team that carries the pager for all of them.',
      ) +
      table(
        ['Service', 'What it does', 'Language', 'Owner'],
        [
          ['intake', 'Takes readings from 41,000 sensors', 'Go', 'Tomás Vidal'],
          ['gauge', 'Knows every device, its firmware and its owner', 'Kotlin', 'Lena Fischer'],
          ['tide', 'Turns readings into alerts', 'Go', 'Lena Fischer'],
          ['almanac', 'Joins readings with the weather', 'Python', 'Tomás Vidal'],
          ['ledger', 'Plans, invoices, payments', 'Kotlin', 'Lena Fischer'],
          ['brook-web', 'What customers see', 'TypeScript', 'Tomás Vidal'],
        ],
      ) +
      p('Runbooks, decisions, release notes and meeting notes each have a section below.') +
      children(),
  },
  {
    slug: 'eng-architecture',
    space: 'ENG',
    title: 'How a reading travels through Brook',
    parent: 'eng-home',
    author: 'tomas',
    created: '2024-04-02T09:00:00.000Z',
    modified: '2026-04-21T09:00:00.000Z',
    labels: ['architecture'],
    files: [{ title: 'path of a reading.png', kind: 'png', lines: [] }],
    body:
      toc() +
      p(
        'A sensor wakes every fifteen minutes, measures, signs the reading with its device key and sends it by LTE-M. From there it takes about four seconds until a customer could see it.',
      ) +
      ol([
        '<strong>intake</strong> checks the signature against the key from gauge (cached for an hour) and appends the reading to the stream.',
        '<strong>almanac</strong> adds rainfall and evaporation for the field.',
        '<strong>tide</strong> compares with the thresholds of the customer and decides whether anybody has to be woken.',
        '<strong>brook-web</strong> reads the last 48 hours from memory and everything older from the warehouse.',
      ]) +
      h2('The order of readings') +
      p(
        'Readings of one device are kept in order; readings of different devices are not. Whoever needs an order across devices sorts by the time of measurement, never by the time of arrival: sensors in valleys keep up to six days of readings until they have signal again.',
      ) +
      code(
        'json',
        '{\n  "device": "fh-7c19",\n  "measured_at": "2026-04-20T05:15:00Z",\n  "soil_moisture": 0.31,\n  "temperature_c": 9.4,\n  "signature": "ed25519:…"\n}',
      ),
  },
  {
    slug: 'eng-oncall',
    space: 'ENG',
    title: 'On call: what we promise each other',
    parent: 'eng-home',
    author: 'lena',
    created: '2024-06-10T09:00:00.000Z',
    modified: '2026-05-18T09:00:00.000Z',
    labels: ['on-call'],
    body:
      p(
        'One week, Monday noon to Monday noon, two people: one carries the pager, the other sleeps with theirs on loud. You are never on call in the first three months, and never twice within five weeks.',
      ) +
      ul([
        'Answer within ten minutes. You need not have an idea, you need to have read the alert.',
        `Wake the second person whenever you think about whether to. If both are asleep, call ${mentionPerson('tomas')}.`,
        'A page at night is followed by a late start, no questions.',
        'Each alert that woke somebody for nothing is removed or fixed in the same week.',
      ]) +
      expand(
        'What to have ready before your week',
        ul([
          'A charged phone with the pager on loud.',
          'The runbooks, also without a network.',
          'Somebody to swap with.',
        ]),
      ) +
      info('On-call pay is 420 euros a week, plus 60 for each night with a page.'),
  },
  {
    slug: 'eng-postmortems',
    space: 'ENG',
    title: 'Postmortems',
    parent: 'eng-home',
    author: 'tomas',
    created: '2024-01-22T09:00:00.000Z',
    labels: ['postmortem'],
    read: { groups: ['engineering'] },
    body: p(
      'What went wrong, told without blame and without polish. Open to engineers only, so that it stays that way; a shorter version for customers goes to the status page.',
    ),
  },
  {
    slug: 'eng-pm-telemetry',
    space: 'ENG',
    title: 'Postmortem: eleven hours without telemetry (14 March 2026)',
    parent: 'eng-postmortems',
    author: 'lena',
    created: '2026-03-16T11:00:00.000Z',
    modified: '2026-03-24T11:00:00.000Z',
    labels: ['postmortem', 'intake'],
    body:
      p(
        'On Saturday, 14 March 2026, intake took no readings from 02:10 to 13:22. No reading was lost, since sensors keep six days, but 212 frost alerts were late and 19 growers lost blossom. It was the longest telemetry outage since we started.',
      ) +
      h2('What happened') +
      table(
        ['Time', 'Event'],
        [
          ['02:10', 'The certificate of the device gateway expires. Every TLS handshake fails from here on.'],
          ['02:11', 'The alert fires, at a pager group that was renamed on Thursday and has no members.'],
          ['08:40', 'A grower in Kent calls support. Support opens a ticket with severity 3.'],
          ['11:55', 'Lena reads the ticket by chance and sees the graph.'],
          ['13:22', 'New certificate in place; readings return. The backlog is worked off by 16:05.'],
        ],
      ) +
      h2('Why it took eleven hours') +
      p(
        'The expiry took one minute to cause and seven to fix. The other eleven hours were the alert: the group was renamed, the routing was not, and nothing watches whether an alert reaches a person.',
      ) +
      h2('What we change') +
      tasks([
        [true, 'Certificates renew thirty days before the end, and page if they do not'],
        [true, 'A daily test page has to be confirmed by whoever is on call'],
        [false, 'Support can page engineering without asking'],
        [false, 'Frost alerts get a second path that does not depend on intake'],
      ]),
  },
  {
    slug: 'eng-pm-billing',
    space: 'ENG',
    title: 'Postmortem: invoices sent twice (2 July 2025)',
    parent: 'eng-postmortems',
    author: 'tomas',
    created: '2025-07-04T09:00:00.000Z',
    labels: ['postmortem', 'ledger'],
    body:
      p(
        '1,904 customers received their June invoice twice, and 311 were charged twice. All were refunded within two days. A retry after a timeout created a second payment, because the idempotency key held the time of the attempt.',
      ) +
      code(
        'kotlin',
        '// before: a new key for each attempt\nval key = invoiceId + "-" + Instant.now()\n// after: the same key for the same invoice\nval key = invoiceId + "-" + invoice.version',
      ) +
      p('The test that should have caught it used a clock that stood still.'),
  },
  {
    slug: 'eng-pm-security',
    space: 'ENG',
    title: 'Postmortem: device keys in a public bucket (9 October 2025)',
    parent: 'eng-postmortems',
    author: 'tomas',
    created: '2025-10-13T09:00:00.000Z',
    labels: ['postmortem', 'security', 'confidential'],
    read: { people: ['tomas'] },
    body:
      warning(
        'Until the last of the affected devices is replaced this page is for Tomás alone, on the advice of counsel.',
      ) +
      p(
        'A build artefact with the signing keys of 340 prototype devices lay in a bucket that anyone could list, for nineteen days. The access log shows two downloads from addresses we do not know. No customer device was among them. The keys are revoked, and 288 of the 340 devices are replaced.',
      ),
  },
  {
    slug: 'eng-review',
    space: 'ENG',
    title: 'Reviewing each other’s code',
    parent: 'eng-home',
    author: 'lena',
    created: '2024-10-07T09:00:00.000Z',
    labels: ['howto'],
    body:
      p(
        'A review answers three questions, in this order: is it right, will the next person understand it, is it the smallest change that does the job. Taste comes last, and is marked as taste.',
      ) +
      ul([
        'Review within half a working day. A small change waits for nobody.',
        'More than 400 lines: talk first, then review.',
        'Approve with comments if you would not mind seeing it released as it is.',
        'The author merges. Always.',
      ]) +
      p(`State of the experiment with paired reviews: ${status('KEPT')}`),
  },
]
