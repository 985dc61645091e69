export const roleTexts = {
  reader: { name: 'Reader', may: 'can only search, as themselves' },
  viewer: { name: 'Viewer', may: 'can also view everything' },
  operator: { name: 'Operator', may: 'can also create and run workflows' },
  developer: { name: 'Developer', may: 'can also create connectors and API keys' },
  administrator: {
    name: 'Administrator',
    may: 'can also manage members and all keys, and search as a person',
  },
}
