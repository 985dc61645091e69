import { h2, p, status, table, ul } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Decision records: decision, alternatives, costs. */
type Decision = readonly [
  title: string,
  why: string,
  chosen: string,
  others: readonly string[],
  price: string,
  label: string,
]

const decisions: readonly Decision[] = [
  [
    'Readings are kept for ten years',
    'Growers compare seasons, and insurers ask for five years. Until now we deleted after two.',
    'Readings older than 90 days move to compressed files in the warehouse and stay there for ten years.',
    ['Keep everything in the database', 'Let customers pay for history'],
    'About 1,100 euros a month more for storage by 2030.',
    'data',
  ],
  [
    'One database for each service',
    'Three outages in a year came from one service locking tables of another.',
    'Each service owns its database; others ask its API or read its events.',
    ['Schemas in one database', 'One writer, many readers'],
    'Reports that joined tables had to move to the warehouse.',
    'architecture',
  ],
  [
    'Go for everything that touches the stream',
    'The stream code in Python could not keep up in April, whatever we tried.',
    'intake and tide are written in Go; almanac stays in Python for its models.',
    ['Rust', 'More machines'],
    'Two engineers learnt Go on the job, which took a quarter.',
    'languages',
  ],
  [
    'Feature flags live at most ninety days',
    'We found 61 flags; nobody could say what 40 of them did.',
    'Each flag has an owner and a date. After it the build fails until the flag is gone or renewed.',
    ['A yearly clean-up', 'No flags'],
    'A few failed builds a month.',
    'process',
  ],
  [
    'Customers see the age of every reading',
    'Support answered the question “is this live?” nine times a day.',
    'Each number in Brook shows when it was measured, in grey, always.',
    ['Hide old readings', 'A warning after an hour'],
    'The pages look busier.',
    'product',
  ],
  [
    'Firmware updates go out in rings',
    'An update in 2024 silenced 800 sensors on one morning.',
    '1 %, then 10 %, then all, with three days in between and an automatic stop.',
    ['Only on request', 'By country'],
    'A security fix takes a week to reach everybody; there is a switch for emergencies.',
    'firmware',
  ],
  [
    'Alerts by text message stay',
    'They cost 38,000 euros a year and most customers have the app.',
    'Frost and burst pipe go out as text message too; everything else by app only.',
    ['App only', 'Phone calls'],
    '21,000 euros a year.',
    'product',
  ],
  [
    'The metric for reliability is late alerts',
    'Uptime was green on the day the frost alerts came four hours late.',
    'We count alerts that reach a person more than five minutes after the reading.',
    ['Uptime', 'Failed requests'],
    'Every service has to pass on the time of measurement.',
    'reliability',
  ],
  [
    'No shared staging for load tests',
    'Load tests broke demos to customers twice.',
    'Load tests run in an environment that is made for an hour and thrown away.',
    ['Book slots in a calendar', 'Test at night'],
    'About 90 euros for each test.',
    'process',
  ],
  [
    'Passwords are gone for staff',
    'Two phishing mails worked in one month.',
    'Staff sign in with hardware keys. Everyone gets two.',
    ['Codes by app', 'Training'],
    '11,000 euros once, and a drawer of spare keys.',
    'security',
  ],
  [
    'Invoices are made on the first working day',
    'Runs at the weekend failed with nobody there to see it.',
    'The run starts on the first working day at nine, with somebody from finance watching.',
    ['Retry until it works', 'Run daily'],
    'Some customers get their invoice two days later.',
    'billing',
  ],
  [
    'Soil types come from the public survey',
    'We asked customers for their soil type, and a third guessed.',
    'We take the soil type from the national soil surveys and let customers correct it.',
    ['Laboratory samples', 'Go on asking'],
    'Three countries, three formats.',
    'data',
  ],
  [
    'We write our own device protocol no more',
    'Version 3 of our protocol had five bugs in its retry logic alone.',
    'New sensors speak LwM2M. Old ones keep version 3 until they are replaced.',
    ['MQTT', 'Fix version 3'],
    'Two protocols until about 2031.',
    'firmware',
  ],
  [
    'Weather from two providers',
    'The provider was down on the hottest day of the year.',
    'A second provider takes over after fifteen minutes without data.',
    ['Cache for longer', 'A weather model of our own'],
    '900 euros a month.',
    'data',
  ],
  [
    'Maps are drawn on the server',
    'Old tablets in tractors could not draw 4,000 fields.',
    'brook-web gets ready-made tiles; single fields are drawn on top.',
    ['Fewer details', 'A native app'],
    'A cache of 60 GB.',
    'frontend',
  ],
  [
    'Pull requests need one approval, not two',
    'The second approval took a day and found almost nothing.',
    'One approval. Two for payments, keys and anything that deletes.',
    ['Keep two', 'None for small changes'],
    'None that we noticed after six months.',
    'process',
  ],
  [
    'Logs are kept for thirty days',
    'Nobody ever looked at logs older than that, except once.',
    'Thirty days, and a year for sign-ins and payments.',
    ['Seven days', 'A year for everything'],
    'Saves 2,400 euros a month.',
    'operations',
  ],
  [
    'Brook speaks seven languages',
    'Half of the cancellations in Spain named the language.',
    'Catalan, Dutch, English, French, German, Portuguese and Spanish, translated by people.',
    ['Machine translation', 'Three languages'],
    '1,500 euros a release.',
    'product',
  ],
  [
    'Devices are paired by code, not by Bluetooth',
    'Pairing failed on a fifth of all phones.',
    'A printed code of ten characters. It works with gloves.',
    ['A better Bluetooth library', 'Pairing in the factory'],
    'A label that has to survive ten years of sun.',
    'firmware',
  ],
  [
    'A forecast shows its doubt',
    'Customers took 3 mm for a promise.',
    'Each forecast is a range, and the range is what we are measured by.',
    ['Round the numbers', 'A disclaimer'],
    'A chart that had to be explained to sales first.',
    'product',
  ],
  [
    'The warehouse is read-only for people',
    'A spreadsheet import overwrote a month of readings.',
    'Only pipelines write. People work on copies that last a week.',
    ['Training', 'Backups every hour'],
    'Some grumbling.',
    'data',
  ],
  [
    'Open standards for exports',
    'Every customer wanted a file of their own kind.',
    'CSV and SensorThings. Nothing else, for nobody.',
    ['A plug-in system', 'Pay for each format'],
    'Lost one tender.',
    'product',
  ],
  [
    'One region until 2028',
    'A second region would have doubled what we operate.',
    'Everything runs in Frankfurt, with backups in Dublin and a plan for moving within a day.',
    ['Two regions at once', 'Two providers'],
    'A day without Brook if Frankfurt burns.',
    'operations',
  ],
  [
    'Retire the old customer portal',
    '140 customers still used it, and it held back three upgrades.',
    'It is switched off on 31 August 2026. Each of the 140 gets a call.',
    ['Keep it read-only', 'Rebuild it'],
    'Eleven customers left.',
    'product',
  ],
]

export function decisionRecords(): SamplePage[] {
  const section: SamplePage = {
    slug: 'eng-decisions',
    space: 'ENG',
    title: 'Decisions',
    parent: 'eng-home',
    author: 'tomas',
    created: '2024-01-24T09:00:00.000Z',
    labels: ['decision'],
    body: p(
      'One page for each decision that somebody will ask about in a year. A decision is changed by a new page, not by editing the old one.',
    ),
  }
  return [section, ...decisions.map(record)]
}

function record([title, why, chosen, others, price, label]: Decision, at: number): SamplePage {
  const number = String(at + 1).padStart(3, '0')
  const date = new Date(Date.UTC(2024, 1 + at, 3 + ((at * 7) % 24), 13))
  const author = at % 2 === 0 ? 'lena' : 'tomas'
  return {
    slug: `eng-decision-${number}`,
    space: 'ENG',
    title: `Decision ${number}: ${title}`,
    parent: 'eng-decisions',
    author,
    created: date.toISOString(),
    labels: ['decision', label],
    body:
      p(
        `${status('DECIDED')} on ${date.toISOString().slice(0, 10)}, proposed by ${author === 'lena' ? 'Lena Fischer' : 'Tomás Vidal'}.`,
      ) +
      h2('Why this came up') +
      p(why) +
      h2('What we do') +
      p(chosen) +
      h2('What else we thought of') +
      ul(others) +
      h2('What it costs') +
      table(['Price', 'Looked at again'], [[price, `After a year, in ${date.getUTCFullYear() + 1}`]]),
  }
}
