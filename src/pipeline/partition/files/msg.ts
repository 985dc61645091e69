import { emailBlocks, person, UNREADABLE_EMAIL } from './mail.ts'
import type { ReadFile } from './reading-file.ts'
import { parsed } from './refusals.ts'

/** An Outlook message. */
export const readMsg: ReadFile = async (file) => {
  const { default: module } = await import('@kenjiuno/msgreader')
  // The CommonJS module nests its default export.
  const Reader = module.default
  const { bytes, filename } = file
  return parsed(filename, UNREADABLE_EMAIL, () => {
    const data = new Reader(new Uint8Array(bytes).buffer).getFileData()
    if (data.error) throw new Error(data.error)
    const people = (kind: string) =>
      (data.recipients ?? [])
        .filter(({ recipType = 'to' }) => recipType === kind)
        .map(({ name = '', smtpAddress, email }) => person(name, smtpAddress ?? email))
    return emailBlocks(
      {
        subject: data.subject ?? '',
        from:
          data.senderName || data.senderEmail
            ? [person(data.senderName ?? '', data.senderSmtpAddress ?? data.senderEmail)]
            : [],
        to: people('to'),
        cc: people('cc'),
        date: data.messageDeliveryTime ?? data.clientSubmitTime ?? '',
        html: data.html ? new TextDecoder().decode(data.html) : (data.bodyHtml ?? ''),
        text: data.body ?? '',
        attachments: (data.attachments ?? []).map(
          ({ fileName, name }) => fileName ?? name ?? 'without a name',
        ),
      },
      file,
    )
  })
}
