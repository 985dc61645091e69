/** The people of Fernhill Instruments: six people, five groups, and which pages two of the people should find. */
export type PersonName = 'amara' | 'priya' | 'daniel' | 'tomas' | 'lena' | 'marcus'
export type GroupName = 'engineering' | 'people-team' | 'finance-team' | 'executives' | 'sales'

export interface SamplePerson {
  accountId: string
  name: string
  email: string
  role: string
}

export const people: Record<PersonName, SamplePerson> = {
  amara: person(1, 'Amara Okonkwo', 'Chief executive'),
  priya: person(2, 'Priya Nair', 'Chief people officer'),
  daniel: person(3, 'Daniel Roth', 'Head of finance'),
  tomas: person(4, 'Tomás Vidal', 'Staff engineer'),
  lena: person(5, 'Lena Fischer', 'Software engineer'),
  marcus: person(6, 'Marcus Bell', 'Account manager'),
}

export const groups: Record<GroupName, { id: string; members: PersonName[] }> = {
  engineering: { id: 'e7c1a0de-0001-4a00-8a00-000000000001', members: ['tomas', 'lena'] },
  'people-team': { id: 'e7c1a0de-0002-4a00-8a00-000000000002', members: ['priya'] },
  'finance-team': { id: 'e7c1a0de-0003-4a00-8a00-000000000003', members: ['daniel'] },
  executives: { id: 'e7c1a0de-0004-4a00-8a00-000000000004', members: ['amara', 'priya'] },
  sales: { id: 'e7c1a0de-0005-4a00-8a00-000000000005', members: ['marcus'] },
}

export interface Persona {
  person: SamplePerson
  groupIds: string[]
  /** Titles of pages this person can read. */
  sees: string[]
  /** Titles of existing pages this person must never see. */
  doesNotSee: string[]
  searches: { query: string; finds: string[]; mustNotFind: string[] }[]
}

const salaryBands = 'Salary bands 2026'
const openPay = 'How pay works at Fernhill'
const heron = [
  'Project Heron',
  'Heron: why we want to acquire Willowmere',
  'Heron: due diligence findings',
  'Heron: integration plan',
]
const openAcquisition = 'When you hear rumours: acquisitions, funding and the press'
const postmortem = 'Postmortem: eleven hours without telemetry (14 March 2026)'

/** Both ask the same questions and get different answers. */
export const personas: { priya: Persona; lena: Persona } = {
  priya: {
    person: people.priya,
    groupIds: groupsOf('priya'),
    sees: [
      salaryBands,
      openPay,
      ...heron,
      'Heron: retention packages',
      openAcquisition,
      'Quarterly report Q3 2026',
    ],
    doesNotSee: [postmortem],
    searches: [
      { query: 'salary bands', finds: [salaryBands, openPay], mustNotFind: [] },
      { query: 'acquisition', finds: ['Project Heron', openAcquisition], mustNotFind: [] },
      { query: 'telemetry outage postmortem', finds: [], mustNotFind: [postmortem] },
    ],
  },
  lena: {
    person: people.lena,
    groupIds: groupsOf('lena'),
    sees: [openPay, openAcquisition, postmortem],
    doesNotSee: [salaryBands, ...heron, 'Heron: retention packages', 'Quarterly report Q3 2026'],
    searches: [
      { query: 'salary bands', finds: [openPay], mustNotFind: [salaryBands] },
      { query: 'acquisition', finds: [openAcquisition], mustNotFind: ['Project Heron', ...heron] },
      { query: 'telemetry outage postmortem', finds: [postmortem], mustNotFind: [] },
    ],
  },
}

function person(number: number, name: string, role: string): SamplePerson {
  const address = name
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^a-z ]/g, '')
    .replaceAll(' ', '.')
  return {
    accountId: `557058:5a3e0000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    name,
    email: `${address}@fernhill.example`,
    role,
  }
}

function groupsOf(name: PersonName): string[] {
  return Object.values(groups).flatMap(({ id, members }) => (members.includes(name) ? [id] : []))
}
