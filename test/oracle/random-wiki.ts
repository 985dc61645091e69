import fc from 'fast-check'

/** Small random wikis as raw rows and lists. */
/** Guest, unlicensed, deactivated and closed accounts are people in some state. */
export type Kind =
  | 'person'
  | 'guest'
  | 'unlicensed'
  | 'deactivated'
  | 'closed'
  | 'app'
  | 'customer'
  | 'visitor'
export type Account = {
  id: string
  kind: Kind
  /** Classes that do not follow from the kind. */
  classes: string[]
}
export type Group = { id: string; members: string[]; deleted: boolean }
export type RawGrant = { kind: 'user' | 'group' | 'class'; id: string; operation: string }
/** Three empty lists mean "not restricted here". `lost` counts entries whose principal was deleted. */
export type RestrictionNames = { users: string[]; groups: string[]; lost: number }
export type OracleNode = {
  id: string
  kind: 'page' | 'folder'
  parent: string | null
  creator: string | null
  read: RestrictionNames
  update: RestrictionNames
}
export type RawWiki = {
  accounts: Account[]
  groups: Group[]
  grants: RawGrant[]
  nodes: OracleNode[]
  /** The group that no read restriction stops, if the deployment has one. */
  superGroup: string | null
}

/** Hidden from the account that reads the wiki, but known to the wiki. */
export type Unreadable = { members: string[]; kinds: string[]; restrictions: string[]; grants: boolean }
export const ALL_READABLE: Unreadable = { members: [], kinds: [], restrictions: [], grants: false }

/** A class without provable members. */
export const UNPROVABLE_CLASS = 'all-product-admins'
/** A class that the specification does not have. */
export const UNKNOWN_CLASS = 'future-users'
export const VISITOR: Account = { id: '(visitor)', kind: 'visitor', classes: [] }

const USERS = Array.from({ length: 7 }, (_, at) => `557058:u${at}`)
const GROUPS = Array.from({ length: 5 }, (_, at) => `g${at}`)

/** `vague` also grants to a class without provable members and to an unknown class. */
export function randomWiki({ unprovable }: { unprovable: boolean }): fc.Arbitrary<RawWiki> {
  const people = fc.record({
    accounts: accounts(),
    groups: groups(),
    grants: grants(unprovable),
    superGroup: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, fc.constant(GROUPS[0]!)),
  })
  const bushy = { weight: 3, arbitrary: bushyTree() }
  const deep = { weight: 1, arbitrary: deepTree() }
  // Shrinks a bug found in a deep tree to small trees too.
  const tree = fc.oneof({ withCrossShrink: true }, bushy, deep)
  return fc.tuple(people, tree).map(([rest, nodes]) => ({ ...rest, nodes }))
}

export function randomUnreadable(): fc.Arbitrary<Unreadable> {
  return fc.record({
    members: rarely(fc.subarray(GROUPS), 2),
    kinds: rarely(fc.subarray(USERS), 2),
    restrictions: rarely(fc.subarray([nodeId(0), nodeId(2), nodeId(5)]), 5),
    grants: fc.nat({ max: 11 }).map((drawn) => drawn === 11),
  })
}

export function nodeId(at: number): string {
  return String(100 + at)
}

function accounts(): fc.Arbitrary<Account[]> {
  const kind = fc.oneof(
    { weight: 6, arbitrary: fc.constant('person' as const) },
    { weight: 2, arbitrary: fc.constant('app' as const) },
    ...(['customer', 'guest', 'unlicensed', 'deactivated', 'closed'] as const).map((each) => ({
      weight: 1,
      arbitrary: fc.constant(each),
    })),
  )
  const classes = fc.subarray([UNPROVABLE_CLASS, UNKNOWN_CLASS])
  return fc
    .array(fc.record({ kind, classes }), { minLength: USERS.length, maxLength: USERS.length })
    .map((drawn) => [...drawn.map((account, at) => ({ id: USERS[at]!, ...account })), VISITOR])
}

/** Overlapping, sometimes empty, sometimes deleted with members still on record. */
function groups(): fc.Arbitrary<Group[]> {
  const group = fc.record({
    members: fc.subarray(USERS),
    deleted: fc.nat({ max: 7 }).map((drawn) => drawn === 7),
  })
  return fc
    .array(group, { minLength: GROUPS.length, maxLength: GROUPS.length })
    .map((drawn) => drawn.map((each, at) => ({ id: GROUPS[at]!, ...each })))
}

function grants(unprovable: boolean): fc.Arbitrary<RawGrant[]> {
  const user = fc.constantFrom(...USERS).map((id) => ({ kind: 'user' as const, id }))
  const group = fc.constantFrom(...GROUPS).map((id) => ({ kind: 'group' as const, id }))
  const ofClass = (id: string) => fc.constant({ kind: 'class' as const, id })
  const principal = fc.oneof(
    { weight: 3, arbitrary: user },
    { weight: 5, arbitrary: group },
    { weight: 4, arbitrary: ofClass('all-licensed-users') },
    { weight: 2, arbitrary: ofClass('anonymous-users') },
    { weight: 2, arbitrary: ofClass('authenticated-users') },
    { weight: unprovable ? 2 : 0, arbitrary: ofClass(UNPROVABLE_CLASS) },
    { weight: unprovable ? 1 : 0, arbitrary: ofClass(UNKNOWN_CLASS) },
  )
  const rows = (operation: string, least: number, most: number) =>
    fc
      .array(principal, { minLength: least, maxLength: most })
      .map((drawn) => drawn.map((to) => ({ ...to, operation })))
  return fc
    .tuple(
      rows('read/space', 1, 4),
      rows('create/page', 0, 4),
      fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, rows('update/page', 1, 3)),
      rows('delete/page', 0, 2),
      rows('delete/space', 0, 3),
      rows('administer/space', 0, 1),
      rows('export/space', 0, 1),
    )
    .map((drawn) => drawn.flat())
}

function bushyTree(): fc.Arbitrary<OracleNode[]> {
  const names = fc.oneof(
    { weight: 5, arbitrary: unrestricted() },
    { weight: 2, arbitrary: restrictedTo({ users: [1, 3], groups: [0, 0] }) },
    { weight: 2, arbitrary: restrictedTo({ users: [0, 0], groups: [1, 2] }) },
    { weight: 2, arbitrary: restrictedTo({ users: [1, 2], groups: [1, 2] }) },
    { weight: 1, arbitrary: fc.constant<RestrictionNames>({ users: [], groups: [], lost: 1 }) },
  )
  return tree(names, { least: 1, most: 7, stepsUp: 2 })
}

/** One chain with wide restrictions, so that some readers remain at its end. */
function deepTree(): fc.Arbitrary<OracleNode[]> {
  const names = fc.oneof(
    { weight: 1, arbitrary: unrestricted() },
    { weight: 12, arbitrary: restrictedTo({ users: [2, 6], groups: [2, 5] }) },
  )
  return tree(names, { least: 9, most: 11, stepsUp: 0 })
}

function tree(
  names: fc.Arbitrary<RestrictionNames>,
  size: { least: number; most: number; stepsUp: number },
): fc.Arbitrary<OracleNode[]> {
  const node = fc.record({
    kind: fc.constantFrom('page' as const, 'page' as const, 'folder' as const),
    up: fc.nat({ max: size.stepsUp }),
    creator: fc.option(fc.constantFrom(...USERS), { freq: 9 }),
    read: names,
    update: names,
  })
  return fc.array(node, { minLength: size.least, maxLength: size.most }).map((drawn) =>
    drawn.map(({ up, ...rest }, at) => {
      const parent = at - 1 - up
      return { id: nodeId(at), parent: parent >= 0 ? nodeId(parent) : null, ...rest }
    }),
  )
}

function unrestricted(): fc.Arbitrary<RestrictionNames> {
  return fc.constant({ users: [], groups: [], lost: 0 })
}

function restrictedTo(count: Record<'users' | 'groups', [number, number]>): fc.Arbitrary<RestrictionNames> {
  const some = (ids: string[], [minLength, maxLength]: [number, number]) =>
    fc.subarray(ids, { minLength, maxLength })
  return fc.record({
    users: some(USERS, count.users),
    groups: some(GROUPS, count.groups),
    lost: fc.constant(0),
  })
}

/** Mostly empty: one in `oneIn` draws is not. */
function rarely(list: fc.Arbitrary<string[]>, oneIn: number): fc.Arbitrary<string[]> {
  return fc.oneof({ weight: oneIn - 1, arbitrary: fc.constant<string[]>([]) }, { weight: 1, arbitrary: list })
}
