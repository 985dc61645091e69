export const roleTexts = {
  viewer: { name: 'Viewer', may: 'sees everything, changes nothing' },
  operator: { name: 'Operator', may: 'also makes and runs workflows' },
  developer: { name: 'Developer', may: 'also makes connectors and API keys' },
  administrator: { name: 'Administrator', may: 'also manages members, all keys, and searches as a person' },
}
