import { expand, h2, h3, info, note, ol, p, status, table, tasks, ul, warning } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** The company handbook: open to all, except one secret project. */
export const handbookPages: SamplePage[] = [
  {
    slug: 'hb-home',
    space: 'HB',
    title: 'Fernhill handbook',
    author: 'amara',
    created: '2023-11-06T09:00:00.000Z',
    modified: '2026-01-08T09:00:00.000Z',
    body:
      p(
        'Fernhill Instruments makes soil and water sensors, and Brook, the service that turns their readings into advice for the people who farm, water and build. We are 180 people in Utrecht, Valencia and Leeds.',
      ) +
      p(
        'This handbook says how we work. It is not finished. If you find a sentence that is no longer true, change it, and say so in the comment of your edit.',
      ) +
      h2('The five things we decided not to argue about again') +
      ol([
        'Write it down where others can find it.',
        'The person who does the work decides how.',
        'A sensor that lies is worse than one that is silent.',
        'We tell customers about our mistakes before they ask.',
        'No meeting on Wednesday.',
      ]),
  },
  {
    slug: 'hb-policies',
    space: 'HB',
    title: 'Policies',
    parent: 'hb-home',
    author: 'amara',
    created: '2023-11-07T09:00:00.000Z',
    labels: ['policy'],
    body: p('Short, dated and owned by somebody. A policy that nobody has read in a year is archived.'),
  },
  {
    slug: 'hb-rumours',
    space: 'HB',
    title: 'When you hear rumours: acquisitions, funding and the press',
    parent: 'hb-policies',
    author: 'amara',
    created: '2025-06-17T09:00:00.000Z',
    labels: ['policy', 'communication'],
    body:
      p(
        'Companies like ours are talked about: that we are about to be bought, that we plan an acquisition ourselves, that a round of funding is coming. Most of it is noise, some of it is true, and for legal reasons we can often not say which.',
      ) +
      h2('What we ask of you') +
      ul([
        'Do not confirm, deny or guess about an acquisition, in public or to customers. “I am not the right person to ask” is a whole answer.',
        'Send journalists to Amara Okonkwo. All of them, also the friendly ones.',
        'If you find a document you think you should not be able to read, tell the author and close it.',
      ]) +
      h2('What you can ask of us') +
      p(
        'You will hear about any acquisition or funding from us before you read about it elsewhere, with the reasons, and with what it means for your work.',
      ),
  },
  {
    slug: 'hb-travel',
    space: 'HB',
    title: 'Travel policy',
    parent: 'hb-policies',
    author: 'daniel',
    created: '2025-01-13T09:00:00.000Z',
    labels: ['policy', 'travel'],
    body:
      p(
        'Go when being there changes the outcome. Take the train where it takes less than six hours. Book what you would book with your own money if you had to work the next morning.',
      ) +
      table(
        ['What', 'Up to', 'Beyond that'],
        [
          ['Hotel per night', '140 euros, 190 in London', 'Ask your manager'],
          ['Meals per day', '45 euros, no receipts below 20', 'Receipts'],
          ['Flights', 'Economy', 'Premium above six hours, with approval'],
        ],
      ) +
      expand(
        'How to book a train',
        p('Use the card of your team. Second class, with a seat. First class only where it costs less.'),
      ) +
      info('Hand in expenses within thirty days. Finance pays on the 10th and the 25th.'),
  },
  {
    slug: 'hb-travel-2023',
    space: 'HB',
    title: 'Travel policy 2023',
    parent: 'hb-policies',
    author: 'daniel',
    created: '2023-11-20T09:00:00.000Z',
    modified: '2024-12-20T09:00:00.000Z',
    labels: ['policy', 'travel'],
    archived: true,
    body: p(
      'Replaced by the travel policy of January 2025. Hotels up to 110 euros, meals 38 euros a day, flights only with a form signed in advance.',
    ),
  },
  {
    slug: 'hb-leadership',
    space: 'HB',
    title: 'Leadership',
    parent: 'hb-home',
    author: 'amara',
    created: '2024-01-15T09:00:00.000Z',
    body: p(
      'Notes from the leadership meeting are published here every second Friday. What is not published concerns single people, contracts under negotiation, or plans that are not decided.',
    ),
  },
  {
    slug: 'hb-heron',
    space: 'HB',
    title: 'Project Heron',
    parent: 'hb-leadership',
    author: 'amara',
    created: '2026-05-04T07:45:00.000Z',
    modified: '2026-09-21T18:10:00.000Z',
    labels: ['heron', 'confidential'],
    read: { people: ['amara', 'priya'] },
    body:
      warning(
        'Known to two people at Fernhill. Do not mention the name Willowmere anywhere else, in writing or in the office.',
      ) +
      p(
        'Project Heron is the planned acquisition of Willowmere Analytics in Bristol: 31 people, a forecasting model for reservoirs, and 14 water utilities as customers.',
      ) +
      p(`State: ${status('DUE DILIGENCE', 'current')}`) +
      table(
        ['Step', 'Date', 'State'],
        [
          ['Letter of intent', '12 June 2026', 'Signed'],
          ['Due diligence', 'August to October 2026', 'Running'],
          ['Decision of the board', '19 November 2026', 'Open'],
          ['Announcement', 'January 2027', 'Draft written'],
        ],
      ) +
      p(
        'Price under discussion: 11.5 to 13 million euros, a third of it in shares. The acquisition is financed from cash and a credit line of 5 million.',
      ),
  },
  {
    slug: 'hb-heron-why',
    space: 'HB',
    title: 'Heron: why we want to acquire Willowmere',
    parent: 'hb-heron',
    author: 'amara',
    created: '2026-05-06T07:45:00.000Z',
    labels: ['heron'],
    body:
      p(
        'Brook tells a grower how wet the soil is now. Customers pay three times as much for knowing how wet it will be in ten days. We tried to build forecasting twice and stopped twice; Willowmere has it, tested on nine years of reservoir data.',
      ) +
      h2('What the acquisition gives us') +
      ul([
        'A forecasting model that works at the scale of a catchment.',
        'Fourteen utilities, eleven of which we have failed to win on our own.',
        'A modelling team that would take us three years to hire.',
      ]) +
      h2('What speaks against it') +
      ul([
        'Two of the fourteen contracts may be ended on a change of control.',
        'Their founder wants to leave after eighteen months.',
        'Bristol would be our fourth office.',
      ]),
  },
  {
    slug: 'hb-heron-diligence',
    space: 'HB',
    title: 'Heron: due diligence findings',
    parent: 'hb-heron',
    author: 'amara',
    created: '2026-08-24T16:00:00.000Z',
    modified: '2026-09-21T18:00:00.000Z',
    labels: ['heron'],
    body:
      p('Findings so far, worst first. Counsel reviews the list every Monday.') +
      table(
        ['Area', 'Finding', 'Weight'],
        [
          [
            'Contracts',
            'Severn and Tamar may terminate on change of control; together 22 % of revenue',
            'High',
          ],
          [
            'Code',
            'The training pipeline uses a library whose licence forbids commercial use; replacing it takes about six weeks',
            'Medium',
          ],
          ['People', 'Three of nine modellers have no invention assignment on file', 'Medium'],
          ['Tax', 'R&amp;D credits of 2024 claimed late; 90,000 pounds at risk', 'Low'],
        ],
      ) +
      h3('Open questions') +
      tasks([
        [true, 'Data room access for counsel'],
        [false, 'Written consent from Severn and Tamar'],
        [false, 'Retention of the three modellers'],
      ]),
  },
  {
    slug: 'hb-heron-integration',
    space: 'HB',
    title: 'Heron: integration plan',
    parent: 'hb-heron',
    author: 'priya',
    created: '2026-09-08T10:00:00.000Z',
    labels: ['heron'],
    body:
      p(
        'If the board says yes: nothing changes for Willowmere’s customers for twelve months. Their forecasts appear inside Brook from the spring of 2027 on; their brand ends in 2028.',
      ) +
      ol([
        'Day 1: everybody at both companies hears it within the same hour, from a person.',
        'Week 1: contracts, pay dates and laptops; nothing else.',
        'Month 1: levels and salary bands are mapped. Nobody earns less.',
        'Month 3: one release train, one on-call rota.',
      ]),
  },
  {
    slug: 'hb-heron-retention',
    space: 'HB',
    title: 'Heron: retention packages',
    parent: 'hb-heron',
    author: 'priya',
    created: '2026-09-10T10:00:00.000Z',
    labels: ['heron', 'pay'],
    read: { groups: ['people-team'] },
    body:
      p(
        'Seven people without whom the acquisition makes no sense. Each is offered a retention payment in two halves, after twelve and twenty-four months.',
      ) +
      table(
        ['Role', 'Payment', 'Risk of leaving'],
        [
          ['Lead modeller', '140,000', 'High'],
          ['Modellers (3)', '60,000 each', 'Medium'],
          ['Head of delivery', '80,000', 'Medium'],
          ['Utility account leads (2)', '35,000 each', 'Low'],
        ],
      ) +
      note('In total 470,000 euros, outside the purchase price.'),
  },
]
