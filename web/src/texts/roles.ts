export const roleTexts = {
  viewer: { name: 'Viewer', may: 'can view everything' },
  operator: { name: 'Operator', may: 'can also create and run workflows' },
  developer: { name: 'Developer', may: 'can also create connectors and API keys' },
  administrator: {
    name: 'Administrator',
    may: 'can also manage members and all keys, and search as a person',
  },
}
