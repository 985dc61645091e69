import { h2, note, p, table, ul } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Finance: ten quarters, seven department budgets, twelve supplier reviews. */
const quarters: readonly (readonly [quarter: string, story: string, cause: string])[] = [
  [
    'Q1 2024',
    'A slow start after a dry winter in which few growers bought.',
    'Two large orders moved to April.',
  ],
  [
    'Q2 2024',
    'The best spring so far, carried by Spain.',
    'The drought there brought 190 customers in eight weeks.',
  ],
  [
    'Q3 2024',
    'Steady, with higher costs for the new warehouse.',
    'The move to the new warehouse cost 140,000 euros once.',
  ],
  ['Q4 2024', 'Sensors sold out before Christmas.', 'Radio modules came five weeks late.'],
  [
    'Q1 2025',
    'Catching up on deliveries; recurring revenue passed 60 %.',
    'Everything ordered in December was delivered by February.',
  ],
  ['Q2 2025', 'Growth in all three countries for the first time.', 'The cooperative contracts began.'],
  [
    'Q3 2025',
    'Good sales, and refunds after the double invoices of July.',
    'The refunds and the goodwill vouchers cost 61,000 euros.',
  ],
  ['Q4 2025', 'The year ended 3 % above plan.', 'Renewals were higher than we dared to plan.'],
  [
    'Q1 2026',
    'Frost, late alerts and a calm reaction from customers.',
    'Compensation after the outage in March cost 48,000 euros.',
  ],
  ['Q2 2026', 'Records in revenue and in cash.', 'Yearly plans were sold in advance for the first time.'],
]

const departments: readonly (readonly [name: string, people: number, budget: number, big: string])[] = [
  ['Engineering', 52, 5_460, 'Two firmware engineers and the second weather provider'],
  ['Devices and assembly', 38, 4_120, 'Test benches for the F5 sensor'],
  ['Sales', 27, 2_650, 'One person for Portugal'],
  ['Support and field service', 31, 2_380, 'Four electric vans'],
  ['Marketing', 11, 1_340, 'The customer conference in Valencia'],
  ['Finance and administration', 13, 1_210, 'The new consolidation tool'],
  ['People and Culture', 8, 830, 'The pay transparency project'],
]

const suppliers: readonly (readonly [name: string, gives: string, cost: number, verdict: string])[] = [
  [
    'Nordlicht Radio',
    'LTE-M radio modules',
    1_480,
    'Good parts, two price increases in a year. Keep, and find a second source.',
  ],
  ['Casal Plásticos', 'Enclosures', 412, 'Never late. Keep.'],
  [
    'Frankfurt Hosting',
    'Servers and storage',
    690,
    'Fair, but the invoice has 4,000 lines. Negotiate a fixed price.',
  ],
  ['Meteo Iberia', 'Weather data', 96, 'Best for Spain. Keep.'],
  ['SkyGrid', 'Weather data, second provider', 11, 'New this year. Look again in spring.'],
  ['Van der Meer Batteries', 'Lithium cells', 358, 'Honest about the cold. Keep.'],
  ['Ellis and Ward', 'Audit and tax', 124, 'Slow in summer. Ask for fixed dates.'],
  ['Brightline', 'Text messages', 38, 'Expensive, reliable. Keep for frost alerts only.'],
  [
    'Huerta Logistics',
    'Parcels in Spain and Portugal',
    143,
    'Three of a hundred parcels late. Compare with one other.',
  ],
  ['Dales Couriers', 'Parcels in the United Kingdom', 117, 'Customs papers are right since March. Keep.'],
  ['Papyr', 'Office rent in Utrecht', 286, 'Ten years, index-linked. Nothing to decide before 2029.'],
  [
    'Kindred Insurance',
    'Liability and cargo',
    88,
    'Premium up by 11 % after the frost claims. Get two other offers.',
  ],
]

export function financeReports(): SamplePage[] {
  const common = { space: 'FIN', author: 'daniel' } as const
  return [
    {
      ...common,
      slug: 'fin-reports',
      title: 'Earlier quarterly reports',
      parent: 'fin-home',
      created: '2024-04-10T09:00:00.000Z',
      labels: ['report'],
      body: p(
        'The reports as they went to the board. They are not changed afterwards, even if we know better by now.',
      ),
    },
    ...quarters.map(([quarter, story, cause], at): SamplePage => {
      const revenue = 4_310 + at * 178 + (at % 4 === 1 ? 420 : 0) - (at % 4 === 0 ? 160 : 0)
      return {
        ...common,
        slug: `fin-report-${at + 1}`,
        title: `Quarterly report ${quarter}`,
        parent: 'fin-reports',
        labels: ['report', 'quarter'],
        created: new Date(Date.UTC(2024, 3 + at * 3, 11, 9)).toISOString(),
        body:
          p(`${story} ${cause}`) +
          table(
            ['', quarter],
            [
              ['Revenue (thousand euros)', revenue.toLocaleString('en')],
              ['Recurring share', `${55 + at * 2 - (at > 7 ? 2 : 0)} %`],
              ['Gross margin', `${(54.2 + at * 0.5).toFixed(1)} %`],
              ['Operating result (thousand euros)', String(90 + at * 47)],
              ['Customers', (1_880 + at * 118).toLocaleString('en')],
              ['Customer acquisition cost (euros)', (2_720 - at * 74).toLocaleString('en')],
            ],
          ) +
          h2('Reasons') +
          ul([
            cause,
            `Cash at the end of ${quarter}: ${(5.1 + at * 0.38).toFixed(1)} million euros.`,
            at % 2 === 0 ? 'No new debt.' : 'The credit line was not used.',
          ]),
      }
    }),
    {
      ...common,
      slug: 'fin-budgets',
      title: 'Budget 2027',
      parent: 'fin-home',
      created: '2026-09-14T09:00:00.000Z',
      labels: ['budget'],
      body: p(
        'Second draft, one page for each department. Amounts in thousand euros. The board decides in December.',
      ),
    },
    ...departments.map(
      ([name, people, budget, big], at): SamplePage => ({
        ...common,
        slug: `fin-budget-${at + 1}`,
        title: `Budget 2027: ${name}`,
        parent: 'fin-budgets',
        created: new Date(Date.UTC(2026, 8, 15 + at, 9)).toISOString(),
        labels: ['budget'],
        body:
          p(
            `${name} plans with ${people} people and ${budget.toLocaleString('en')} thousand euros. The largest new item: ${big.charAt(0).toLowerCase()}${big.slice(1)}.`,
          ) +
          table(
            ['Item', '2026', '2027'],
            [
              [
                'Salaries',
                Math.round(budget * 0.68).toLocaleString('en'),
                Math.round(budget * 0.71).toLocaleString('en'),
              ],
              [
                'Tools and services',
                Math.round(budget * 0.14).toLocaleString('en'),
                Math.round(budget * 0.13).toLocaleString('en'),
              ],
              [
                'Travel and training',
                Math.round(budget * 0.05).toLocaleString('en'),
                Math.round(budget * 0.05).toLocaleString('en'),
              ],
              ['New', '–', big],
            ],
          ) +
          note(
            at % 2 === 0
              ? 'Within the limit.'
              : `${20 + at * 9} thousand euros above the limit; to be discussed in November.`,
          ),
      }),
    ),
    {
      ...common,
      slug: 'fin-suppliers',
      title: 'Suppliers',
      parent: 'fin-home',
      created: '2025-02-03T09:00:00.000Z',
      labels: ['supplier'],
      body: p(
        'Every supplier above ten thousand euros is reviewed once a year: what they supply, what it costs, whether we would choose them again.',
      ),
    },
    ...suppliers.map(
      ([name, gives, cost, verdict], at): SamplePage => ({
        ...common,
        slug: `fin-supplier-${at + 1}`,
        title: `Supplier review: ${name}`,
        parent: 'fin-suppliers',
        created: new Date(Date.UTC(2026, at % 9, 6 + at, 9)).toISOString(),
        labels: ['supplier'],
        body:
          p(
            `${name}: ${gives.charAt(0).toLowerCase()}${gives.slice(1)}. ${cost.toLocaleString('en')} thousand euros a year.`,
          ) +
          h2('Would we choose them again?') +
          p(verdict) +
          table(
            ['Contract ends', 'Notice'],
            [[`31 ${at % 2 === 0 ? 'December' : 'March'} ${2026 + (at % 4)}`, `${3 + (at % 3) * 3} months`]],
          ),
      }),
    ),
  ]
}
