import { AppError } from '../../../errors.ts'
import { emailBlocks } from './mail.ts'
import type { ReadFile } from './reading-file.ts'

/** An Outlook message. */
export const readMsg: ReadFile = async (file) => {
  const { default: module } = await import('@kenjiuno/msgreader')
  // The CommonJS module nests its default export.
  const Reader = module.default
  const { bytes, filename } = file
  try {
    const data = new Reader(
      bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer,
    ).getFileData()
    if (data.error) throw new Error(data.error)
    const people = (kind: string) =>
      (data.recipients ?? [])
        .filter(({ recipType = 'to' }) => recipType === kind)
        .map(({ name = '', smtpAddress, email }) => personText(name, smtpAddress ?? email))
    return emailBlocks(
      {
        subject: data.subject ?? '',
        from:
          data.senderName || data.senderEmail
            ? [personText(data.senderName ?? '', data.senderSmtpAddress ?? data.senderEmail)]
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
  } catch (cause) {
    throw new AppError('document_broken', `reading ${filename}: not a readable email`, { cause })
  }
}

function personText(name: string, address: string | undefined): string {
  return name && address && name !== address ? `${name} <${address}>` : (address ?? name)
}
