import { resolve } from 'node:path'
import type { DestinationType } from '../type.ts'
import { type FolderConfig, folderConfig } from './config.ts'

export const folder: DestinationType = {
  kind: 'destination',
  type: 'folder',
  aliases: [],
  title: 'Folder of JSON Lines',
  about: 'A folder on this machine: one JSON Lines file for each document.',
  icon: 'folder',
  docs: 'docs/millrace-ingest.md',
  terms: { system: 'file system', scope: 'folder', document: 'file' },
  capabilities: ['inspect'],
  schema: folderConfig,
  fieldAliases: {},
  identity: ({ path }: FolderConfig) => resolve(path),
  addressFields: [],
  locationFields: ['path'],
  refuse: () => [],
  open: async (config: FolderConfig) => (await import('./destination.ts')).openFolder(config),
}
