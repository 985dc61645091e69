import type { DocumentWarning, ElementMetadata } from '../../../document.ts'
import { cellHtml } from '../table.ts'
import { oneLine } from './one-line.ts'
import { blocksOf } from './paged.ts'
import type { FileToRead, ReadFile } from './reading-file.ts'
import { parsed } from './refusals.ts'

type Email = {
  subject: string
  from: string[]
  to: string[]
  cc: string[]
  date: string
  html: string
  text: string
  attachments: string[]
}

/** Every element repeats subject and people, so they are limited. */
const MAX_SUBJECT_LENGTH = 1000
const MAX_PERSON_LENGTH = 400
const MAX_PEOPLE = 100
const MAX_NAME_LENGTH = 200

export const UNREADABLE_EMAIL = 'not a readable email'

/** An email: the subject becomes a title, sender and recipients metadata, attachments a warning. */
export const readMail: ReadFile = async (file) => {
  const { default: PostalMime } = await import('postal-mime')
  const mail = await parsed(file.filename, UNREADABLE_EMAIL, () =>
    PostalMime.parse(file.bytes, { maxNestingDepth: 50 }),
  )
  return emailBlocks(
    {
      subject: mail.subject ?? '',
      from: mail.from ? [addressText(mail.from)] : [],
      to: (mail.to ?? []).map(addressText),
      cc: (mail.cc ?? []).map(addressText),
      date: mail.date ?? '',
      html: mail.html ?? '',
      text: mail.text ?? '',
      // Inline pictures are not attachments.
      attachments: mail.attachments
        .filter((each) => !each.related)
        .map((each) => each.filename ?? 'without a name'),
    },
    file,
  )
}

export function emailBlocks(email: Email, file: FileToRead) {
  const subject = oneLine(email.subject, MAX_SUBJECT_LENGTH)
  const date = oneLine(email.date, MAX_NAME_LENGTH)
  const [from, to, cc] = [people(email.from), people(email.to), people(email.cc)]
  const metadata: Partial<ElementMetadata> = {
    ...(subject ? { subject } : {}),
    ...(from.length > 0 ? { sent_from: from } : {}),
    ...(to.length > 0 ? { sent_to: to } : {}),
    ...(cc.length > 0 ? { cc_recipient: cc } : {}),
  }
  const headerText = [
    ['From', from.join(', ')],
    ['To', to.join(', ')],
    ['Cc', cc.join(', ')],
    ['Date', date],
  ]
    .filter(([, value]) => value)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
  const body = email.html.trim() ? email.html : paragraphs(email.text)
  const headHtml = `${subject ? `<h1>${cellHtml(subject)}</h1>` : ''}<p>${cellHtml(headerText)}</p>`
  return {
    blocks: [
      ...blocksOf([{ html: headHtml, metadata }], file),
      ...blocksOf([{ html: body, metadata }], file),
    ],
    warnings: attachmentWarnings(email.attachments, file),
  }
}

function people(names: string[]): string[] {
  return names.slice(0, MAX_PEOPLE).map((name) => oneLine(name, MAX_PERSON_LENGTH))
}

function attachmentWarnings(names: string[], { filename }: FileToRead): DocumentWarning[] {
  if (names.length === 0) return []
  const shown = names
    .slice(0, 5)
    .map((name) => oneLine(name, MAX_NAME_LENGTH))
    .join(', ')
  const message = `${filename}: attachments of emails are not read: ${shown}${names.length > 5 ? ' …' : ''}`
  return [{ code: 'attachments_left', count: names.length, message }]
}

function paragraphs(text: string): string {
  return text
    .split(/\r?\n[ \t]*\r?\n/)
    .map((paragraph) => `<p>${cellHtml(paragraph.trim())}</p>`)
    .join('')
}

type Address = { name?: string; address?: string; group?: Address[] }
function addressText({ name = '', address, group }: Address): string {
  if (group) return [name, ...group.map(addressText)].filter(Boolean).join(' ')
  return person(name, address)
}

export function person(name: string, address: string | undefined): string {
  return name && address && name !== address ? `${name} <${address}>` : (address ?? name)
}
