import {
  IconArchive,
  IconBook,
  IconBooks,
  IconBucket,
  IconCalendar,
  IconCloud,
  IconDatabase,
  IconDatabaseSearch,
  IconFiles,
  IconFileText,
  IconFolder,
  IconGitBranch,
  IconListCheck,
  IconMail,
  IconMessages,
  IconNotebook,
  IconNotes,
  IconPlug,
  IconSchool,
  IconServer,
  IconTable,
  IconTicket,
  IconUsers,
  IconWorldWww,
} from '@tabler/icons-react'
import type { ConnectorType } from './types.ts'

/** The names a type may use; the whole icon set would be too large to load. */
const icons: Record<string, typeof IconPlug> = {
  archive: IconArchive,
  book: IconBook,
  books: IconBooks,
  bucket: IconBucket,
  calendar: IconCalendar,
  cloud: IconCloud,
  database: IconDatabase,
  'database-search': IconDatabaseSearch,
  'file-text': IconFileText,
  files: IconFiles,
  folder: IconFolder,
  'git-branch': IconGitBranch,
  'list-check': IconListCheck,
  mail: IconMail,
  messages: IconMessages,
  notebook: IconNotebook,
  notes: IconNotes,
  school: IconSchool,
  server: IconServer,
  table: IconTable,
  ticket: IconTicket,
  users: IconUsers,
  world: IconWorldWww,
}

type Props = { type: Pick<ConnectorType, 'icon'> | undefined; size: number; className?: string | undefined }

export function TypeIcon({ type, size, className }: Props) {
  const Icon = icons[type?.icon ?? ''] ?? IconPlug
  return <Icon size={size} stroke={1.5} aria-hidden="true" {...(className ? { className } : {})} />
}
