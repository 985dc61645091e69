import { h2, p, ul } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Short policies, offices and release notes. */
type Policy = readonly [title: string, short: string, rules: readonly string[], label: string]

const policies: readonly Policy[] = [
  [
    'Expenses',
    'Spend our money as you would your own, and hand in the receipt within thirty days.',
    [
      'Below 100 euros: just do it.',
      'Up to 1,000 euros: your manager.',
      'Above that: Daniel Roth, before you order.',
    ],
    'money',
  ],
  [
    'Working from home',
    'Work where you work best. Teams agree on the days on which all of them are in one place.',
    [
      'Desks and chairs at home are paid for, up to 600 euros.',
      'Be reachable between ten and three.',
      'Assembly and field service cannot; they get five more days off instead.',
    ],
    'work',
  ],
  [
    'Equipment',
    'You get a laptop, two hardware keys and what you need to work well.',
    [
      'Laptops are replaced after four years.',
      'Lost or stolen: tell security within the hour, at any hour.',
      'Old equipment goes to the school in Leeds.',
    ],
    'equipment',
  ],
  [
    'Security basics',
    'Most attacks begin with a friendly mail. Take the minute.',
    [
      'Hardware keys, always.',
      'Never send customer data by mail or chat.',
      'If you clicked on something, say so at once. Nobody was ever blamed for telling.',
    ],
    'security',
  ],
  [
    'Customer data',
    'Readings belong to the customer. We use them to give advice, and for nothing else without asking.',
    [
      'Look at a customer’s field only to help that customer.',
      'Every look is logged and customers can read the log.',
      'Deleting means deleting: within thirty days, backups included.',
    ],
    'privacy',
  ],
  [
    'Gifts and invitations',
    'Small and open is fine. Large or secret is not.',
    [
      'Up to 50 euros: say thank you.',
      'Above: put it in the raffle.',
      'Nothing at all while a tender is running.',
    ],
    'conduct',
  ],
  [
    'Speaking in public',
    'Speak about what you know. We pay for the journey if you are on the programme.',
    [
      'Show the slides to one colleague first.',
      'No numbers that are not on our website.',
      'Journalists go to Amara Okonkwo.',
    ],
    'communication',
  ],
  [
    'Side jobs',
    'Allowed, as long as they do not compete with us or make you too tired for this one.',
    [
      'Tell Priya Nair before you start.',
      'Nothing for competitors or suppliers.',
      'Open source needs no permission.',
    ],
    'conduct',
  ],
  [
    'Safety in the field',
    'No reading is worth an accident.',
    [
      'Two people near water deeper than a knee.',
      'High-visibility vest on every road, also the empty ones.',
      'In a thunderstorm you wait in the van.',
    ],
    'safety',
  ],
  [
    'Raising a concern',
    'If something is wrong, say it to whoever you trust most: your manager, Priya Nair, or the outside ombudsperson.',
    [
      'You may stay anonymous.',
      'You get an answer within ten days.',
      'Retaliation is the one thing we dismiss people for without a second talk.',
    ],
    'conduct',
  ],
]

const offices: readonly (readonly [city: string, where: string, good: readonly string[]])[] = [
  [
    'Utrecht',
    'Headquarters, assembly and the cold chamber; ten minutes by bicycle from Centraal.',
    [
      'Bicycles: cellar, code from reception.',
      'Lunch at half past twelve, cooked by Joost.',
      'Quiet room on the third floor.',
    ],
  ],
  [
    'Valencia',
    'Sales for the south, field service and the test field behind the house.',
    [
      'Water the lemon tree.',
      'Parking only before eight.',
      'The test field is open to everyone; close the gate.',
    ],
  ],
  [
    'Leeds',
    'Sales and support for the United Kingdom, second floor above the bakery.',
    [
      'Doors lock at seven.',
      'The bakery knows us: ten per cent off.',
      'Heating takes an hour, come in a jumper.',
    ],
  ],
]

const releases: readonly (readonly [version: string, news: string, also: readonly string[]])[] = [
  [
    '25.1',
    'Fields can be shared with an adviser.',
    ['Faster maps on tablets.', 'A fix for readings that showed up an hour early in spring.'],
  ],
  [
    '25.2',
    'Frost alerts can be set for each field.',
    ['Alerts say which sensor they come from.', 'The list of devices can be sorted by battery.'],
  ],
  [
    '25.3',
    'Exports in the SensorThings format.',
    ['Exports run in the background and send a mail when done.', 'Old exports are deleted after a week.'],
  ],
  [
    '25.4',
    'Catalan and Portuguese.',
    ['Dates follow the language, not the browser.', 'Shorter texts on small screens.'],
  ],
  [
    '25.5',
    'Pairing by code.',
    ['Installers can pair without an account.', 'A wrong code says which character is wrong.'],
  ],
  [
    '25.6',
    'Irrigation advice shows its doubt.',
    ['Ranges in place of single numbers.', 'An explanation for each advice.'],
  ],
  [
    '26.1',
    'Every number shows its age.',
    ['Silent sensors are marked after two hours.', 'Lying sensors are left out of the average.'],
  ],
  [
    '26.2',
    'Telemetry catches up faster after an outage.',
    ['The backlog of a sensor is taken newest first.', 'Late frost alerts say that they are late.'],
  ],
  [
    '26.3',
    'Two weather providers.',
    ['The forecast says where it comes from.', 'Ten days in place of seven.'],
  ],
  ['26.4', 'Dark mode.', ['Follows the device or the time of day.', 'Higher contrast in the sun.']],
  [
    '26.5',
    'The old customer portal is switched off.',
    ['Old addresses lead to the new pages.', 'Old exports can be fetched until December.'],
  ],
]

export function policiesAndMore(): SamplePage[] {
  return [
    ...policies.map(
      ([title, short, rules, label], at): SamplePage => ({
        slug: `hb-policy-${at + 1}`,
        space: 'HB',
        title: `${title} policy`,
        parent: 'hb-policies',
        author: at % 2 === 0 ? 'priya' : 'daniel',
        labels: ['policy', label],
        created: new Date(Date.UTC(2024, at % 12, 8, 9)).toISOString(),
        modified: new Date(Date.UTC(2025, 3 + at, 12, 9)).toISOString(),
        body:
          p(`<strong>In one sentence:</strong> ${short}`) +
          h2('The rules') +
          ul(rules) +
          h2('Questions') +
          p('Ask the author of this page. If the answer is of use to others, it is added here.'),
      }),
    ),
    {
      slug: 'hb-offices',
      space: 'HB',
      title: 'Offices',
      parent: 'hb-home',
      author: 'priya',
      created: '2024-01-10T09:00:00.000Z',
      labels: ['office'],
      body: p(
        'Three houses, one company. You may work in any of them; tell them the day before, so that there is lunch.',
      ),
    },
    ...offices.map(
      ([city, where, good], at): SamplePage => ({
        slug: `hb-office-${at + 1}`,
        space: 'HB',
        title: `The office in ${city}`,
        parent: 'hb-offices',
        author: 'marcus',
        labels: ['office'],
        created: new Date(Date.UTC(2024, 0, 11 + at, 9)).toISOString(),
        body: p(where) + h2('Good to know') + ul(good),
      }),
    ),
    {
      slug: 'eng-releases',
      space: 'ENG',
      title: 'Release notes',
      parent: 'eng-home',
      author: 'lena',
      created: '2025-01-20T09:00:00.000Z',
      labels: ['release'],
      body: p(
        'What changed in Brook, in words a customer would use. A release every two months, fixes whenever needed.',
      ),
    },
    ...releases.map(
      ([version, news, also], at): SamplePage => ({
        slug: `eng-release-${version}`,
        space: 'ENG',
        title: `Brook ${version}: ${news
          .replace(/\.$/, '')
          .replace(/^\w/, (letter) => letter.toLowerCase())
          .replace(/^catalan/, 'Catalan')}`,
        parent: 'eng-releases',
        author: at % 2 === 0 ? 'lena' : 'tomas',
        labels: ['release'],
        created: new Date(Date.UTC(2025, 1 + at * 2, 18, 9)).toISOString(),
        body:
          p(`<strong>${news}</strong> This is what most people will notice in Brook ${version}.`) +
          h2('Also new') +
          ul(also) +
          p(
            'Thank you to everyone who reported something: most of the small fixes come from support tickets.',
          ),
      }),
    ),
  ]
}
