import { h2, info, note, ol, p, table, ul } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** Finance: only its team and the executives have access. */
export const financePages: SamplePage[] = [
  {
    slug: 'fin-home',
    space: 'FIN',
    title: 'Finance',
    author: 'daniel',
    created: '2024-01-03T09:00:00.000Z',
    body: p(
      'Books, budgets, reports and contracts of Fernhill Instruments B.V. and its two subsidiaries. Only the finance team and the executives can read this space; what everyone needs to know is in the handbook.',
    ),
  },
  {
    slug: 'fin-close',
    space: 'FIN',
    title: 'Month-end close in five days',
    parent: 'fin-home',
    author: 'daniel',
    created: '2024-03-04T09:00:00.000Z',
    modified: '2026-02-02T09:00:00.000Z',
    labels: ['close', 'howto'],
    body:
      p(
        'The books are closed on the fifth working day. It used to be the eleventh. The difference is that nothing waits for paper any more, and that accruals are made from the order book, not from memory.',
      ) +
      table(
        ['Day', 'What', 'Done when'],
        [
          ['1', 'Bank and card statements matched', 'Unmatched below 2,000 euros'],
          ['2', 'Invoices of the month run in ledger', 'Run report signed'],
          ['3', 'Accruals and deferred revenue', 'Compared with last month, differences explained'],
          ['4', 'Intercompany, payroll, depreciation', 'Balances are zero'],
          ['5', 'Review and lock', 'Daniel has locked the period'],
        ],
      ) +
      info('After the lock, corrections go into the next month. There are no exceptions for small amounts.'),
  },
  {
    slug: 'fin-payroll',
    space: 'FIN',
    title: 'Payroll run: who earns what',
    parent: 'fin-home',
    author: 'daniel',
    created: '2024-02-20T09:00:00.000Z',
    modified: '2026-10-23T09:00:00.000Z',
    labels: ['payroll', 'confidential'],
    read: { people: ['daniel'], groups: ['people-team'] },
    body:
      p(
        'The monthly payroll of all three companies, 180 people, 1,043,000 euros in October 2026 including employer contributions.',
      ) +
      ol([
        'The people team freezes changes on the 15th.',
        'Daniel compares headcount and totals with the month before. Every difference has a letter.',
        'Two signatures in the bank, never the same two as last month.',
        'Payslips go out on the 25th.',
      ]) +
      note('Exports with names are deleted after the bank has confirmed.'),
  },
  {
    slug: 'fin-q3-2026',
    space: 'FIN',
    title: 'Quarterly report Q3 2026',
    parent: 'fin-home',
    author: 'daniel',
    created: '2026-10-12T09:00:00.000Z',
    labels: ['report', 'quarter'],
    files: [
      {
        title: 'Q3 2026 figures.pdf',
        kind: 'pdf',
        lines: [
          'Fernhill Instruments - figures of the third quarter 2026',
          'Revenue 6.84 million euros, up 17 percent',
          'Gross margin 58.1 percent',
          'Cash at the end of the quarter 9.2 million euros',
          'Customer acquisition cost 1,940 euros, down from 2,310',
        ],
      },
      { title: 'Board pack Q3 2026.pdf', kind: 'broken-pdf', lines: [] },
      {
        title: 'revenue by region.csv',
        kind: 'csv',
        lines: [
          'region,q2,q3',
          'Netherlands,1910000,2080000',
          'Spain,1640000,1820000',
          'United Kingdom,1530000,1690000',
          'other,1010000,1250000',
        ],
      },
    ],
    body:
      p(
        'A good quarter with one worry. Revenue grew by 17 % against last year to 6.84 million euros, recurring revenue passed 70 % for the first time, and cash stands at 9.2 million. The worry is hardware: sensor margin fell to 31 % after the price of radio modules went up twice.',
      ) +
      table(
        ['', 'Q3 2026', 'Q2 2026', 'Q3 2025'],
        [
          ['Revenue (thousand euros)', '6,840', '6,090', '5,850'],
          ['Recurring share', '71 %', '69 %', '63 %'],
          ['Gross margin', '58.1 %', '59.4 %', '57.0 %'],
          ['Operating result', '612', '540', '318'],
          ['Customers', '3,212', '3,040', '2,655'],
          ['Customer acquisition cost (euros)', '1,940', '2,050', '2,310'],
        ],
      ) +
      h2('What we expect for the fourth quarter') +
      ul([
        'Revenue of 7.1 to 7.3 million.',
        'Sensor margin back above 34 % with the second supplier.',
        'No new debt.',
      ]),
  },
]
