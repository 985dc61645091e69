import { code, h2, info, ol, p, table, ul, warning } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Six services with six typical failures each. */
interface Service {
  name: string
  does: string
  stops: string
  store: string
  replicas: number
  dashboard: string
  lowRisk: string
}

const services: readonly Service[] = [
  {
    name: 'intake',
    does: 'takes readings from the sensors',
    stops: 'sensors keep their readings for six days, so nothing is lost, but every alert is late',
    store: 'the readings stream',
    replicas: 6,
    dashboard: 'Readings per second',
    lowRisk: 'between 01:00 and 04:00 UTC, when few sensors wake',
  },
  {
    name: 'gauge',
    does: 'knows devices, firmware and owners',
    stops: 'new sensors cannot be paired and intake lives on its key cache for an hour',
    store: 'the devices database',
    replicas: 3,
    dashboard: 'Pairings and key lookups',
    lowRisk: 'outside the pairing season, March to May',
  },
  {
    name: 'tide',
    does: 'turns readings into alerts',
    stops: 'nobody is warned of frost, drought or a burst pipe',
    store: 'the thresholds database',
    replicas: 4,
    dashboard: 'Alerts by kind',
    lowRisk: 'in the early afternoon, after the frost hours',
  },
  {
    name: 'almanac',
    does: 'joins readings with the weather',
    stops: 'advice falls back to yesterday’s weather, which most customers do not notice for a day',
    store: 'the weather cache',
    replicas: 2,
    dashboard: 'Age of the newest forecast',
    lowRisk: 'right after a forecast came in, at 00:40 or 12:40 UTC',
  },
  {
    name: 'ledger',
    does: 'keeps plans, invoices and payments',
    stops: 'nobody can subscribe or pay, and the invoice run waits',
    store: 'the billing database',
    replicas: 3,
    dashboard: 'Payments and failures',
    lowRisk: 'never in the first three working days of a month',
  },
  {
    name: 'brook-web',
    does: 'shows customers their fields',
    stops: 'customers see an error page while everything behind it goes on working',
    store: 'the session store',
    replicas: 8,
    dashboard: 'Page views and errors',
    lowRisk: 'before 05:00 UTC',
  },
]

interface Problem {
  title: (service: Service) => string
  label: string
  sign: (service: Service) => string
  causes: readonly string[]
  steps: (service: Service) => string[]
  command: (service: Service) => string
  after: string
}

const problems: readonly Problem[] = [
  {
    title: ({ name }) => `Runbook: ${name} does not answer`,
    label: 'outage',
    sign: ({ name, replicas }) =>
      `The probe of ${name} fails from both regions for more than two minutes, or fewer than ${Math.ceil(replicas / 2)} of its ${replicas} replicas are ready.`,
    causes: [
      'A release within the last hour (most likely by far).',
      'The node pool was drained and nothing had room.',
      'A certificate or secret that expired.',
    ],
    steps: ({ name, store }) => [
      `Look for a release: <code>brookctl releases ${name}</code>. If there is one younger than an hour, roll it back before you understand why.`,
      'No release: read the last hundred lines of one crashed replica, not of all of them.',
      `If it waits for ${store}, go on with the runbook for a slow database.`,
      'Say on the status page what customers notice, in their words.',
    ],
    command: ({ name }) => `brookctl rollback ${name} --to previous\nbrookctl wait ${name} --ready`,
    after: 'Leave the failed release in the registry. We want to look at it by daylight.',
  },
  {
    title: ({ name }) => `Runbook: ${name} is slow`,
    label: 'latency',
    sign: ({ name }) =>
      `The 95th percentile of ${name} is above 800 ms for ten minutes while the number of requests is normal.`,
    causes: [
      'One query without its index after a migration.',
      'A connection pool that is too small for the number of replicas.',
      'A neighbour on the same node that takes all the disk.',
    ],
    steps: ({ name, dashboard }) => [
      `Open the dashboard “${dashboard}” and see whether one endpoint is slow or all of them.`,
      'One endpoint: take the slowest trace and look for the widest bar.',
      `All of them: compare the waiting time for a connection with the pool size of ${name}.`,
      'Add two replicas only if the processor is the limit; otherwise it makes things worse.',
    ],
    command: ({ name }) => `brookctl traces ${name} --slowest 5\nbrookctl pool ${name}`,
    after: 'Write the slow query or endpoint into the weekly notes even if it went away by itself.',
  },
  {
    title: ({ name, store }) => `Runbook: ${store.replace('the ', '')} of ${name} is full`,
    label: 'storage',
    sign: ({ store }) =>
      `The free space of ${store} is below 15 %, or it grew by more than 10 % within a day.`,
    causes: [
      'A clean-up job that stopped without telling anyone.',
      'A customer importing years of history.',
      'Debug logging that was left on.',
    ],
    steps: ({ name, store }) => [
      `Find out what grew: tables of ${store} by size, today against last week.`,
      `Check the last run of the clean-up of ${name}; start it by hand if it is older than a day.`,
      'Enlarge the disk by a quarter. It takes four minutes and no restart.',
      'Only then think about deleting, and never alone.',
    ],
    command: ({ name }) =>
      `brookctl storage ${name} --by-table --since 7d\nbrookctl jobs run ${name}-cleanup`,
    after: 'A disk can grow but not shrink. Note the new size in the cost review.',
  },
  {
    title: ({ name }) => `Runbook: restoring ${name} from backup`,
    label: 'backup',
    sign: ({ store }) =>
      `Somebody deleted what should not have been deleted from ${store}, or its contents contradict themselves.`,
    causes: [
      'A migration that ran twice.',
      'A script with the wrong customer number.',
      'Very rarely: the hardware.',
    ],
    steps: ({ name, store }) => [
      `Stop writing: <code>brookctl read-only ${name} on</code>. Reading may go on.`,
      `Restore ${store} to a point five minutes before the damage, beside the real one, never over it.`,
      'Compare row counts of the five biggest tables and look at one customer you know.',
      'Switch over with two people watching, then lift read-only.',
    ],
    command: ({ name }) =>
      `brookctl restore ${name} --at "2026-01-31T02:05:00Z" --beside\nbrookctl compare ${name} --restored`,
    after: 'We practise this every quarter. The last practice took 38 minutes.',
  },
  {
    title: ({ name }) => `Runbook: rotating the secrets of ${name}`,
    label: 'security',
    sign: ({ name }) =>
      `Every ninety days, when somebody with access leaves, or at once if a secret of ${name} may have been seen.`,
    causes: ['The calendar.', 'A laptop that was lost.', 'A secret in a log, a ticket or a screenshot.'],
    steps: ({ name, lowRisk }) => [
      `Choose a quiet time: ${lowRisk}.`,
      'Create the new secret in the vault beside the old one. Both are valid now.',
      `Restart ${name} one replica at a time and watch that each signs in with the new one.`,
      'Revoke the old secret after an hour without use. Not earlier.',
    ],
    command: ({ name }) =>
      `brookctl secrets add ${name}\nbrookctl restart ${name} --one-by-one\nbrookctl secrets revoke ${name} --unused-for 1h`,
    after: 'If it was rotated because it leaked, tell Tomás Vidal the same day.',
  },
  {
    title: ({ name }) => `Runbook: making ${name} bigger for the season`,
    label: 'capacity',
    sign: ({ name, replicas }) =>
      `In the first week of March, or when ${name} uses more than 70 % of its ${replicas} replicas for three days.`,
    causes: [
      'The growing season: traffic doubles between March and May.',
      'A new customer with more than 2,000 sensors.',
      'A cold front: everybody looks at the same hour.',
    ],
    steps: ({ name, replicas }) => [
      `Raise the lower bound of ${name} to ${replicas * 2} replicas, not only the upper one.`,
      'Check that the database allows the connections of all of them together.',
      'Run the load test against staging with last year’s busiest hour.',
      'Set a reminder for June to undo it.',
    ],
    command: ({ name, replicas }) =>
      `brookctl scale ${name} --min ${replicas * 2} --max ${replicas * 4}\nbrookctl loadtest ${name} --replay busiest-hour-2025`,
    after: 'Each replica costs about 70 euros a month. June really is the time to undo it.',
  },
]

export function runbooks(): SamplePage[] {
  const section: SamplePage = {
    slug: 'eng-runbooks',
    space: 'ENG',
    title: 'Runbooks',
    parent: 'eng-home',
    author: 'tomas',
    created: '2024-01-23T09:00:00.000Z',
    labels: ['runbook'],
    body: p(
      'Written for somebody who was asleep five minutes ago. If a step was wrong or missing when you needed it, change it before you go back to bed.',
    ),
  }
  const pages = services.flatMap((service, row) =>
    problems.map((problem, column) => runbook(service, problem, row * problems.length + column)),
  )
  return [section, ...pages]
}

function runbook(service: Service, problem: Problem, number: number): SamplePage {
  return {
    slug: `eng-runbook-${service.name}-${problem.label}`,
    space: 'ENG',
    title: problem.title(service),
    parent: 'eng-runbooks',
    author: number % 2 === 0 ? 'tomas' : 'lena',
    created: new Date(Date.UTC(2024, 2 + (number % 9), 1 + (number % 27), 9)).toISOString(),
    modified: new Date(Date.UTC(2025, number % 12, 1 + ((number * 5) % 27), 14)).toISOString(),
    labels: ['runbook', service.name, problem.label],
    body:
      p(`<strong>${service.name}</strong> ${service.does}. While it stands still, ${service.stops}.`) +
      h2('How you know') +
      p(problem.sign(service)) +
      h2('Usual causes') +
      ul(problem.causes) +
      h2('What to do') +
      ol(problem.steps(service)) +
      code('bash', problem.command(service)) +
      (problem.label === 'backup'
        ? warning('Never restore over the live data, however sure you are.')
        : info(problem.after)) +
      table(
        ['Question', 'Answer'],
        [
          ['Dashboard', service.dashboard],
          ['Replicas', String(service.replicas)],
          ['Quiet time', service.lowRisk],
          ['Afterwards', problem.after],
        ],
      ),
  }
}
