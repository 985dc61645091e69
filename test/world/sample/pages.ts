import type { SamplePage, SpaceKey } from './page.ts'
import type { GroupName, PersonName } from './people.ts'
import { engineeringPages } from './spaces/engineering.ts'
import { financePages } from './spaces/finance.ts'
import { handbookPages } from './spaces/handbook.ts'
import { peoplePages } from './spaces/people.ts'
import { decisionRecords } from './templates/decisions.ts'
import { meetingNotes } from './templates/meetings.ts'
import { onboardingGuides } from './templates/onboarding.ts'
import { policiesAndMore } from './templates/policies.ts'
import { financeReports } from './templates/reports.ts'
import { runbooks } from './templates/runbooks.ts'

/** About 200 pages in four spaces; a third is written by hand. */
export interface SampleSpace {
  key: SpaceKey
  name: string
  home: string
  owner: PersonName
  /** `everyone`: all licensed people. */
  viewers: (GroupName | 'everyone')[]
  editors: GroupName[]
}

export const sampleSpaces: SampleSpace[] = [
  {
    key: 'ENG',
    name: 'Engineering',
    home: 'eng-home',
    owner: 'tomas',
    viewers: ['everyone'],
    editors: ['engineering'],
  },
  {
    key: 'PPL',
    name: 'People and Culture',
    home: 'ppl-home',
    owner: 'priya',
    viewers: ['everyone'],
    editors: ['people-team'],
  },
  {
    key: 'FIN',
    name: 'Finance',
    home: 'fin-home',
    owner: 'daniel',
    viewers: ['executives'],
    editors: ['finance-team'],
  },
  {
    key: 'HB',
    name: 'Company handbook',
    home: 'hb-home',
    owner: 'amara',
    viewers: ['everyone'],
    editors: ['executives', 'people-team', 'finance-team', 'engineering', 'sales'],
  },
]

/** Parents come before their children. */
export const samplePages: SamplePage[] = [
  ...engineeringPages,
  ...peoplePages,
  ...financePages,
  ...handbookPages,
  ...runbooks(),
  ...decisionRecords(),
  ...meetingNotes(),
  ...onboardingGuides(),
  ...financeReports(),
  ...policiesAndMore(),
]
