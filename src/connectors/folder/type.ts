import type { DestinationType } from '../connector.ts'
import { type FolderConfig, folderConfig } from './config.ts'

export const folder: DestinationType = {
  kind: 'destination',
  type: 'folder',
  aliases: [],
  title: 'Folder of JSON Lines',
  schema: folderConfig,
  fieldAliases: {},
  addressFields: [],
  refuse: () => [],
  open: async (config: FolderConfig) => (await import('./destination.ts')).openFolder(config),
}
