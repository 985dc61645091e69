import { h2, p, tasks, ul } from '../html.ts'
import type { SamplePage, SpaceKey } from '../page.ts'
import type { PersonName } from '../people.ts'

/** Meeting notes: engineering every second week, leadership and people team monthly. */
type Topic = readonly [subject: string, said: string, decided: string, todo: string]

const engineeringTopics: readonly Topic[] = [
  [
    'Battery life of the F4 sensor',
    'Cold batteries lose a third of their charge; the first winter in Friesland shows 14 months instead of 24.',
    'Send every thirty minutes below zero degrees.',
    'Lena measures twenty devices in the cold chamber',
  ],
  [
    'Flaky tests in tide',
    'Every ninth build fails on the frost tests because they use the real clock.',
    'Time becomes an argument.',
    'Tomás takes out the last calls of now()',
  ],
  [
    'Cost of the stream',
    'We keep seven days in the stream and read back more than one day about twice a year.',
    'Three days, and the warehouse for the rest.',
    'Tomás lowers retention after the season',
  ],
  [
    'Upgrade of the database',
    'The version in use ends in November. The new one is faster on the readings table, slower on nothing we found.',
    'One service a week, ledger last.',
    'Lena writes the plan',
  ],
  [
    'Pairing in the field',
    'Installers stand in wet fields and type a code of ten characters.',
    'Leave out 0, O, 1 and I.',
    'Lena changes the code generator',
  ],
  [
    'Noise from the alerts',
    '212 pages in a month, of which 17 needed somebody.',
    'Delete the eleven alerts nobody acted on.',
    'Whoever is on call keeps a tally',
  ],
  [
    'Import of old readings',
    'A cooperative wants to bring nine years of readings from another product.',
    'Yes, but through the public API and at night.',
    'Tomás writes a page for the customer',
  ],
  [
    'Dark mode',
    'Asked for 340 times; tractors are driven at night.',
    'In the summer release.',
    'Lena draws the palette with design',
  ],
  [
    'Rate limits for the public API',
    'One customer asks for all their fields every two seconds.',
    '60 requests a minute, with a header that says how many are left.',
    'Tomás writes to the ten biggest callers first',
  ],
  [
    'The certificate of the gateway',
    'Nobody could say who renews it, or when.',
    'It renews by itself from now on and pages if it does not.',
    'Lena adds the check',
  ],
  [
    'Hiring for firmware',
    'Three good talks, one offer, start in September.',
    'Keep the second position open until then.',
    'Tomás plans the first month',
  ],
  [
    'What went well this season',
    'No lost reading in April for the first time, at twice the traffic.',
    'Do the load test in February again.',
    'Both write down what we changed',
  ],
]

const leadershipTopics: readonly Topic[] = [
  [
    'Hardware margin',
    'Radio modules went up by 9 %, and the supplier announces more.',
    'A second supplier until the autumn.',
    'Daniel compares three offers',
  ],
  [
    'Office in Leeds',
    'The lease ends next year; eighteen desks for eleven people.',
    'A smaller place near the station.',
    'Priya asks the people in Leeds',
  ],
  [
    'Customer conference',
    'Last year 220 guests and 31 new contracts.',
    'Again in Valencia, two days instead of three.',
    'Marcus talks to five customers about a stage',
  ],
  [
    'Renewals',
    'Renewal rate 94 %. The six largest customers that left all named missing forecasts.',
    'Forecasting stays the first topic of the year.',
    'Amara presents the options in spring',
  ],
  [
    'Engagement survey',
    '81 % took part. Pay is fine, planning is not: priorities change too often.',
    'Priorities are fixed for six weeks at a time.',
    'Priya publishes the results',
  ],
  [
    'Budget',
    'First draft is 4 % above what we can afford.',
    'No department grows by more than two people.',
    'Daniel sends each department its frame',
  ],
  [
    'Sales in Portugal',
    'Twelve customers without anyone selling there.',
    'One person from January, working from Valencia.',
    'Marcus writes the profile',
  ],
  [
    'Prices',
    'Plans were last changed three years ago.',
    'Plus 4 % for new contracts, nothing for existing ones.',
    'Daniel prepares the price list',
  ],
]

const peopleTopics: readonly Topic[] = [
  [
    'Onboarding feedback',
    'New people like the first day and get lost in the second week.',
    'A named person for each week of the first month.',
    'Priya changes the guides',
  ],
  [
    'Learning budget',
    '1,500 euros for each person, of which 38 % were used.',
    'Managers ask in every spring talk.',
    'Priya sends the list of good courses',
  ],
  [
    'Working abroad',
    'Forty requests last year, each decided anew.',
    'Up to thirty days within the union without asking.',
    'Priya checks the insurance',
  ],
  [
    'Referrals',
    'A third of all hires come from referrals.',
    'The bonus stays at 1,000 euros, paid after three months.',
    'Priya writes a reminder',
  ],
  [
    'Noise in the Utrecht office',
    'Sales and support share a room.',
    'Support moves to the second floor.',
    'Priya plans the move for a Friday',
  ],
  [
    'Summer hours',
    'Friday afternoons off in July and August were tried for two years.',
    'Kept.',
    'Priya adds it to the policy',
  ],
]

export function meetingNotes(): SamplePage[] {
  return [
    section('eng-meetings', 'ENG', 'Engineering meeting notes', 'eng-home'),
    ...notes({
      count: 16,
      topics: engineeringTopics,
      space: 'ENG',
      parent: 'eng-meetings',
      name: 'Engineering notes',
      people: ['tomas', 'lena'],
      everyDays: 14,
    }),
    ...notes({
      count: 10,
      topics: leadershipTopics,
      space: 'HB',
      parent: 'hb-leadership',
      name: 'Leadership notes',
      people: ['amara', 'priya', 'daniel', 'marcus'],
      everyDays: 28,
    }),
    section('ppl-meetings', 'PPL', 'People team meeting notes', 'ppl-home'),
    ...notes({
      count: 8,
      topics: peopleTopics,
      space: 'PPL',
      parent: 'ppl-meetings',
      name: 'People team notes',
      people: ['priya', 'amara'],
      everyDays: 35,
    }),
  ]
}

interface Round {
  count: number
  topics: readonly Topic[]
  space: SpaceKey
  parent: string
  name: string
  people: PersonName[]
  everyDays: number
}

function notes({ count, topics, space, parent, name, people, everyDays }: Round): SamplePage[] {
  return Array.from({ length: count }, (_, at) => {
    const date = new Date(Date.UTC(2026, 0, 12 + at * everyDays, 15))
    // Steps of five through the topics; each round combines them differently.
    const turn = Math.floor(at / topics.length)
    const first = topics[(at * 5) % topics.length] as Topic
    const second = topics[(at * 5 + 1 + (at % 3) + turn) % topics.length] as Topic
    const third = topics[(at * 5 + 4 + (at % 2) + turn) % topics.length] as Topic
    const chosen = [...new Set([first, second, third])]
    const day = date.toISOString().slice(0, 10)
    return {
      slug: `${parent}-${day}`,
      space,
      title: `${name} ${day}: ${first[0].toLowerCase().replace('leeds', 'Leeds').replace('portugal', 'Portugal').replace('utrecht', 'Utrecht').replace('f4', 'F4').replace(' api', ' API')}`,
      parent,
      author: people[at % people.length] as PersonName,
      created: date.toISOString(),
      labels: ['meeting-notes'],
      body:
        p(`Present: ${people.length + 3} people. Notes from ${day}.`) +
        chosen
          .map(([subject, said, decided]) => h2(subject) + p(said) + ul([`Decided: ${decided}`]))
          .join('') +
        h2('To do') +
        tasks(chosen.map(([, , , todo], index) => [index === 0 && at < count - 2, todo] as const)),
    }
  })
}

function section(slug: string, space: SpaceKey, title: string, parent: string): SamplePage {
  return {
    slug,
    space,
    title,
    parent,
    author: space === 'ENG' ? 'tomas' : 'priya',
    created: '2024-01-25T09:00:00.000Z',
    labels: ['meeting-notes'],
    body: p('One page for each meeting, newest last. Written during the meeting, not after it.'),
  }
}
