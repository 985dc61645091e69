import {
  children,
  excerpt,
  h2,
  includeExcerpt,
  info,
  mentionPerson,
  note,
  ol,
  p,
  table,
  tasks,
  toc,
  ul,
  warning,
} from '../html.ts'
import type { SamplePage } from '../page.ts'

/** People and Culture: open to employees, except personal and salary pages. */
export const peoplePages: SamplePage[] = [
  {
    slug: 'ppl-home',
    space: 'PPL',
    title: 'People and Culture',
    author: 'priya',
    created: '2024-02-05T09:00:00.000Z',
    body:
      p(
        'Everything about working at Fernhill that is not about the work itself: joining, pay, leave, growing, and leaving well. If a page is missing, ask in <strong>#people</strong>; somebody else is wondering too.',
      ) +
      ul([
        'New here? Start with the onboarding guide for your role.',
        'Pay and levels are under Compensation.',
        'Leave, illness and parental time are under Time away.',
        'Everything you tell the people team stays with the people team unless you say otherwise.',
      ]),
  },
  {
    slug: 'ppl-compensation',
    space: 'PPL',
    title: 'Compensation',
    parent: 'ppl-home',
    author: 'priya',
    created: '2024-02-12T10:00:00.000Z',
    labels: ['pay'],
    body:
      p(
        'How we decide what people earn, when it changes and who decides. The principles are open to everyone; the figures of single bands are kept with the people team until the pay transparency project is finished.',
      ) + children(),
  },
  {
    slug: 'ppl-how-pay-works',
    space: 'PPL',
    title: 'How pay works at Fernhill',
    parent: 'ppl-compensation',
    author: 'priya',
    created: '2024-03-01T10:00:00.000Z',
    modified: '2026-02-11T15:20:00.000Z',
    labels: ['pay', 'policy'],
    body:
      toc() +
      p(
        'Your pay has three parts: base salary, the profit share and, for some roles, on-call or sales pay. Base salary follows your level. Each level has a <em>salary band</em> with a lower end, a midpoint and an upper end.',
      ) +
      h2('Where you are in your salary band') +
      ul([
        'People new to a level start in the lower third of the band.',
        'The midpoint is what somebody earns who does the whole job well.',
        'The upper third is for people who have carried the level for years, or bring something rare.',
        'Nobody is paid below the band of their level. If that ever happens it is corrected the same month, backdated.',
      ]) +
      h2('When salary bands change') +
      p(
        'We compare the bands with two salary surveys every January. The people team proposes new bands, the executives decide, and changes are paid from April. You receive a letter whether or not your own pay changes.',
      ) +
      info(
        'The band you are in is not a secret from you: your manager will tell you its three numbers whenever you ask. The table of all salary bands is kept by the people team.',
      ) +
      h2('The midpoints, for those who work with them') +
      includeExcerpt('Salary bands 2026', 'midpoints') +
      h2('How to raise a question about pay') +
      ol([
        'Ask your manager. They can see your band and the reason for your place in it.',
        `If the answer does not convince you, ask ${mentionPerson('priya')} for a second look. It takes about two weeks.`,
        'The second look is written down and you get a copy.',
      ]),
  },
  {
    slug: 'ppl-salary-bands',
    space: 'PPL',
    title: 'Salary bands 2026',
    parent: 'ppl-compensation',
    author: 'priya',
    created: '2026-01-19T08:30:00.000Z',
    modified: '2026-03-30T12:00:00.000Z',
    labels: ['pay', 'confidential'],
    read: { groups: ['people-team'] },
    body:
      warning(
        'For the people team only. Managers receive the band of each person they manage, not this table.',
      ) +
      p(
        'Salary bands from 1 April 2026, gross per year in euros, full time. The midpoint follows the 60th percentile of the January survey; the spread is 18 % to either side for levels 1 to 4 and 22 % above.',
      ) +
      excerpt(
        p(
          'Midpoints from April 2026: staff engineer 100,000, head of department 116,000, account manager 58,000.',
        ),
        'midpoints',
      ) +
      table(
        ['Level', 'Title', 'Lower end', 'Midpoint', 'Upper end'],
        [
          ['E1', 'Associate engineer', '45,900', '56,000', '66,100'],
          ['E2', 'Engineer', '56,600', '69,000', '81,400'],
          ['E3', 'Senior engineer', '68,900', '84,000', '99,100'],
          ['E4', 'Staff engineer', '82,000', '100,000', '118,000'],
          ['E5', 'Principal engineer', '92,000', '118,000', '144,000'],
          ['S2', 'Account manager', '47,600', '58,000', '68,400'],
          ['S3', 'Senior account manager', '57,400', '70,000', '82,600'],
          ['F2', 'Financial controller', '55,800', '68,000', '80,200'],
          ['M1', 'Team lead', '78,700', '96,000', '113,300'],
          ['M2', 'Head of department', '90,500', '116,000', '141,500'],
        ],
      ) +
      h2('Known problems with these salary bands') +
      ul([
        'E2 overlaps E3 by 12,500 euros. Four engineers at the top of E2 should be looked at for promotion before July.',
        'S2 is 6 % below the survey. The correction is planned for 2027.',
        'Two people in field service are paid below the band after the regrading; both letters are written.',
      ]) +
      note(
        'The cost of moving everyone below the new lower ends is 64,300 euros a year and is in the budget Daniel approved.',
      ),
  },
  {
    slug: 'ppl-equity-review',
    space: 'PPL',
    title: 'Equal pay review: working notes',
    parent: 'ppl-compensation',
    author: 'priya',
    created: '2026-04-14T09:15:00.000Z',
    labels: ['pay', 'confidential'],
    read: { groups: ['people-team'] },
    body:
      p(
        'Working notes for the equal pay report due in September. Adjusted gap across all salary bands: 1.9 % (2025: 3.4 %). Unadjusted: 8.7 %, most of it because field service and hardware assembly are the two departments with the fewest women in level 3 and above.',
      ) +
      h2('Cases to correct before the report') +
      ol([
        'One senior engineer hired in 2022 below the midpoint without a reason on file.',
        'Two account managers with the same portfolio and 4,100 euros between them.',
        'Part-time controllers: the bonus was prorated twice.',
      ]),
  },
  {
    slug: 'ppl-time-away',
    space: 'PPL',
    title: 'Time away',
    parent: 'ppl-home',
    author: 'priya',
    created: '2024-02-13T10:00:00.000Z',
    labels: ['leave'],
    body: p(
      'Holiday, illness, parental leave, caring for somebody, sabbaticals. The short version: tell your team early when you can, and do not explain yourself when you cannot.',
    ),
  },
  {
    slug: 'ppl-parental-leave',
    space: 'PPL',
    title: 'Parental leave',
    parent: 'ppl-time-away',
    author: 'priya',
    created: '2024-05-21T10:00:00.000Z',
    modified: '2025-11-03T10:00:00.000Z',
    labels: ['leave', 'policy'],
    body:
      p(
        'Every parent gets twenty weeks on full pay, whichever way the child comes into the family. You may take them in up to three parts within the first two years.',
      ) +
      h2('What to do, and when') +
      table(
        ['When', 'What', 'With whom'],
        [
          ['As early as you like', 'A first talk, no form', 'Priya or your manager'],
          ['Ten weeks before', 'Dates in the leave calendar', 'Your manager'],
          ['Four weeks before', 'Handover page with an owner for each topic', 'Your team'],
          ['Two weeks before coming back', 'A coffee to plan the first month', 'Your manager'],
        ],
      ) +
      info(
        'Coming back part-time is a right for the first three years, not a favour. Your level and your place in the salary band do not change.',
      ),
  },
  {
    slug: 'ppl-interviewing',
    space: 'PPL',
    title: 'How we interview',
    parent: 'ppl-home',
    author: 'priya',
    created: '2024-09-02T10:00:00.000Z',
    modified: '2026-05-06T10:00:00.000Z',
    labels: ['hiring'],
    body:
      p(
        'Four conversations, nine days from first to last, and an answer within two days of the last one. We test what the job needs and nothing else: no puzzles, no whiteboard recursion, no unpaid project longer than ninety minutes.',
      ) +
      ol([
        '<strong>Screening</strong> (30 min): what the role is, what it pays, what you want.',
        '<strong>Craft</strong> (90 min): a small piece of real work, together.',
        '<strong>Working together</strong> (60 min): two people from outside the team.',
        '<strong>Questions</strong> (45 min): yours, to anyone you name.',
      ]) +
      h2('Writing it down') +
      p(
        'Every interviewer writes the scorecard before talking to the others. Scorecards say what was seen and heard, not what was felt. They can be read by the hiring manager and the people team, and are deleted after six months.',
      ),
  },
  {
    slug: 'ppl-cases',
    space: 'PPL',
    title: 'Performance and conduct cases',
    parent: 'ppl-home',
    author: 'priya',
    created: '2025-01-20T10:00:00.000Z',
    labels: ['confidential'],
    read: { groups: ['people-team'] },
    body: p(
      'One page below for each open case. Keep to facts, dates and what was agreed. Delete the page one year after the case is closed.',
    ),
  },
  {
    slug: 'ppl-case-template',
    space: 'PPL',
    title: 'Improvement plan: how to write one',
    parent: 'ppl-cases',
    author: 'priya',
    created: '2025-01-21T10:00:00.000Z',
    body:
      p(
        'An improvement plan is a promise on both sides. It names at most three things that have to change, how both will know that they have, and what help is given. It lasts six to ten weeks. If you cannot imagine it succeeding, do not write one.',
      ) +
      tasks([
        [true, 'Facts collected and checked with the person'],
        [false, 'Three changes, each observable'],
        [false, 'Help agreed: time, training, a mentor'],
        [false, 'Dates for the weekly talks'],
      ]),
  },
]
