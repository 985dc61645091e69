import { h2, info, ol, p, table, tasks } from '../html.ts'
import type { SamplePage } from '../page.ts'

/** One guide per role: the same four weeks, with role-specific parts. */
type Role = readonly [role: string, team: string, first: string, learn: string, month: string, meet: string]

const roles: readonly Role[] = [
  [
    'Software engineer',
    'Brook',
    'Change one sentence on the login page and release it',
    'How a reading travels through Brook',
    'You have fixed a bug a customer reported',
    'whoever is on call',
  ],
  [
    'Firmware engineer',
    'Devices',
    'Flash an F4 sensor and see its first reading arrive',
    'The update rings and how to stop one',
    'You have taken a change through the cold chamber',
    'the assembly line in Utrecht',
  ],
  [
    'Hardware engineer',
    'Devices',
    'Take a sensor apart and put it together again',
    'Why the antenna sits where it sits',
    'You have written a test for the new board',
    'our supplier of enclosures',
  ],
  [
    'Data scientist',
    'Advice',
    'Draw the soil moisture of one field over a year',
    'Which readings to distrust',
    'You have compared a forecast with what happened',
    'a grower, in their field',
  ],
  [
    'Product designer',
    'Brook',
    'Watch three support calls',
    'How people use Brook with gloves on',
    'Something you drew is in use',
    'two installers',
  ],
  [
    'Support engineer',
    'Support',
    'Answer a ticket with somebody beside you',
    'The difference between a silent and a lying sensor',
    'You carry a shift alone',
    'the second line in engineering',
  ],
  [
    'Account manager',
    'Sales',
    'Read the last ten notes about one customer',
    'What our plans contain and what they do not',
    'You have led a renewal talk',
    'three customers of different size',
  ],
  [
    'Field technician',
    'Service',
    'Install a sensor in the test field',
    'Safety near roads and water',
    'You have done a day of installations alone',
    'the depot in Valencia',
  ],
  [
    'Financial controller',
    'Finance',
    'Follow one invoice from order to bank',
    'The five days of the month-end close',
    'You have closed two accounts by yourself',
    'our auditor',
  ],
  [
    'People partner',
    'People',
    'Sit in on an interview',
    'What is confidential and for how long',
    'You have run an onboarding week',
    'each department head',
  ],
  [
    'Marketing manager',
    'Marketing',
    'Rewrite one page of the website',
    'What growers read, and when in the year',
    'A campaign of yours is running',
    'two growers and a journalist',
  ],
  [
    'Intern',
    'any team',
    'Choose your project from the list of three',
    'Where to ask stupid questions',
    'You have shown your project to the whole company',
    'another intern',
  ],
]

export function onboardingGuides(): SamplePage[] {
  const section: SamplePage = {
    slug: 'ppl-onboarding',
    space: 'PPL',
    title: 'Onboarding guides',
    parent: 'ppl-home',
    author: 'priya',
    created: '2024-02-14T09:00:00.000Z',
    labels: ['onboarding'],
    body: p(
      'A guide for each role. The first month is for learning: nobody expects results, and everybody expects questions.',
    ),
  }
  return [section, ...roles.map(guide)]
}

function guide([role, team, first, learn, month, meet]: Role, at: number): SamplePage {
  return {
    slug: `ppl-onboarding-${at + 1}`,
    space: 'PPL',
    title: `Onboarding guide: ${role.toLowerCase()}`,
    parent: 'ppl-onboarding',
    author: 'priya',
    created: new Date(Date.UTC(2024, 1 + (at % 10), 15, 9)).toISOString(),
    modified: new Date(Date.UTC(2026, at % 9, 4 + at, 9)).toISOString(),
    labels: ['onboarding', team.toLowerCase().replaceAll(' ', '-')],
    body:
      p(
        `Welcome. You are joining as ${/^[AEIOU]/.test(role) ? 'an' : 'a'} ${role.toLowerCase()} (${team}). This page is yours: tick things off, and change what was wrong for whoever comes next.`,
      ) +
      h2('First day') +
      tasks([
        [false, 'Laptop, two hardware keys, badge'],
        [false, 'Lunch with your buddy'],
        [false, 'Say hello in #new-here'],
        [false, 'Do not read the whole wiki'],
      ]) +
      h2('First week') +
      ol([
        `${first}.`,
        `Understand this one thing: ${learn.charAt(0).toLowerCase()}${learn.slice(1)}.`,
        `Meet ${meet}.`,
        'Write down everything that made no sense, and give the list to Priya on Friday.',
      ]) +
      h2('First three months') +
      table(
        ['After', 'You know it went well when'],
        [
          ['One month', `${month}.`],
          ['Two months', 'Somebody asks you, and you know the answer.'],
          [
            'Three months',
            'You and your manager agree that this is the right job. Probation ends with that talk.',
          ],
        ],
      ) +
      info(
        'Your pay, your level and your salary band are explained in “How pay works at Fernhill”. Ask before you wonder.',
      ),
  }
}
