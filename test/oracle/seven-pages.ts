/** Seven pages with difficult permissions; the expected people are written by hand. Cem created all pages. */
export const cast = {
  Ann: { id: '557058:aaaaaaaa-0000-4000-8000-000000000001', kind: 'person' },
  Ben: { id: '557058:bbbbbbbb-0000-4000-8000-000000000002', kind: 'person' },
  Cem: { id: '557058:cccccccc-0000-4000-8000-000000000003', kind: 'person' },
  Dia: { id: '557058:dddddddd-0000-4000-8000-000000000004', kind: 'person' },
  Bot: { id: '557058:eeeeeeee-0000-4000-8000-000000000005', kind: 'app' },
  Kai: { id: 'qm:ffffffff-0000-4000-8000-000000000006', kind: 'customer' },
} as const
export type Name = keyof typeof cast
export const names = Object.keys(cast) as Name[]

export const teams = {
  red: { id: '7ed00000-0000-4000-8000-00000000000a', members: ['Ann', 'Ben', 'Dia'] },
  blue: { id: 'b1e00000-0000-4000-8000-00000000000b', members: ['Cem', 'Dia'] },
} as const
export type Team = keyof typeof teams

type SpaceGrant = { to: { class: string } | { team: Team } | { person: Name }; operations: string[] }
/** SEVEN grants by single rows, ROLES the same through roles. */
export const spaces: Record<'SEVEN' | 'ROLES', SpaceGrant[]> = {
  SEVEN: [
    { to: { class: 'all-licensed-users' }, operations: ['read/space', 'create/page', 'delete/space'] },
    { to: { team: 'red' }, operations: ['delete/page'] },
  ],
  ROLES: [
    { to: { team: 'blue' }, operations: ['read/space', 'create/page', 'delete/space'] },
    { to: { person: 'Ann' }, operations: ['read/space'] },
  ],
}

export type Restricted = { people?: Name[]; teams?: Team[] }
export type SevenPage = {
  title: string
  space: keyof typeof spaces
  /** The title of its parent, if that is not the home page. */
  below?: string
  read?: Restricted
  update?: Restricted
  readers: Name[]
  editors: Name[]
  deleters: Name[]
}

/** The ancestor of three of the seven; restricted to the red team. */
export const ABOVE = 'the page above'

export const pages: SevenPage[] = [
  {
    title: ABOVE,
    space: 'SEVEN',
    read: { teams: ['red'] },
    readers: ['Ann', 'Ben', 'Dia'],
    editors: ['Ann', 'Ben', 'Dia'],
    deleters: ['Ann', 'Ben', 'Dia'],
  },
  {
    title: 'the space alone',
    space: 'SEVEN',
    readers: ['Ann', 'Ben', 'Cem', 'Dia'],
    editors: ['Ann', 'Ben', 'Cem', 'Dia'],
    deleters: ['Ann', 'Ben', 'Cem', 'Dia'],
  },
  {
    // A restriction never widens what the space grants: Bot and Kai get nothing.
    title: 'a restriction of its own',
    space: 'SEVEN',
    read: { people: ['Ann', 'Cem', 'Bot', 'Kai'] },
    readers: ['Ann', 'Cem'],
    editors: ['Ann', 'Cem'],
    deleters: ['Ann', 'Cem'],
  },
  {
    // The update restriction stops the reds, gives Cem nothing, and does not affect reading.
    title: 'restricted above alone',
    space: 'SEVEN',
    below: ABOVE,
    update: { people: ['Ben', 'Cem'] },
    readers: ['Ann', 'Ben', 'Dia'],
    editors: ['Ben'],
    deleters: ['Ben'],
  },
  {
    title: 'a person inside the group of the page above',
    space: 'SEVEN',
    below: ABOVE,
    read: { people: ['Ann', 'Cem'] },
    readers: ['Ann'],
    editors: ['Ann'],
    deleters: ['Ann'],
  },
  {
    title: 'both restricted, to different groups',
    space: 'SEVEN',
    below: ABOVE,
    read: { teams: ['blue'] },
    readers: ['Dia'],
    editors: ['Dia'],
    deleters: ['Dia'],
  },
  {
    title: 'an app account alone',
    space: 'SEVEN',
    read: { people: ['Bot'] },
    readers: [],
    editors: [],
    deleters: [],
  },
  {
    title: 'a space governed by roles',
    space: 'ROLES',
    readers: ['Ann', 'Cem', 'Dia'],
    editors: ['Cem', 'Dia'],
    deleters: ['Cem'],
  },
]
