/** People, groups and classes that permissions name. */
export const principalTexts = {
  user: 'person',
  group: 'group',
  classes: {
    'anonymous-users': 'everyone, signed in or not',
    'all-licensed-users': 'every licensed user',
    'authenticated-users': 'everyone who is signed in',
  } as Record<string, string>,
  /** The name of the button that shows the id. */
  show: (name: string) => `${name}, show the id`,
  id: (name: string) => `the id of ${name}`,
  ids: { user: 'Account id', group: 'Group id', class: 'Class', other: 'Entry' },
}
