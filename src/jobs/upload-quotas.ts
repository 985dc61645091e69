import { AppError } from '../errors.ts'
import type { Database } from '../store/database.ts'
import { lockUploads } from '../store/jobs/upload-usage.ts'
import { nextExpiry } from '../store/jobs/uploads.ts'

/** Limits of one workspace for jobs of uploaded files. */
export type UploadQuotas = { activeJobs: number; uploadBytes: number; outputBytes: number }

const MEGABYTE = 1024 * 1024
// Most jobs of files end within a minute.
const RETRY_AFTER_S = 30

/** Holds until the transaction ends, so that concurrent requests cannot exceed a quota together. */
export async function refuseOverQuota(
  transaction: Database,
  { workspaceId, bytes }: { workspaceId: string; bytes: number },
  quotas: UploadQuotas,
): Promise<void> {
  if (bytes > quotas.uploadBytes)
    throw new AppError(
      'body_too_large',
      `the files are larger than the ${megabytes(quotas.uploadBytes)} for waiting files`,
      {
        fix: 'Send fewer files in one request',
      },
    )
  const used = await lockUploads(transaction, workspaceId)
  if (used.activeJobs >= quotas.activeJobs)
    throw waitForJobs(`the workspace already has ${used.activeJobs} active jobs of files`)
  if (used.uploadBytes + bytes > quotas.uploadBytes)
    throw waitForJobs(
      `files of ${megabytes(used.uploadBytes)} are waiting, and the workspace may have ${megabytes(quotas.uploadBytes)}`,
    )
  if (used.outputBytes >= quotas.outputBytes)
    throw new AppError('quota_reached', outputsFull(quotas), {
      fix: 'Results are deleted after seven days',
      retryAfterSeconds: await nextExpiry(transaction, workspaceId),
    })
}

/** For a file whose results have no room. */
export function noRoomForResults(filename: string, quotas: UploadQuotas): AppError {
  return new AppError('quota_reached', `storing the results of ${filename}: ${outputsFull(quotas)}`, {
    fix: 'Send the file again when older results are deleted, after seven days',
  })
}

function waitForJobs(message: string): AppError {
  return new AppError('quota_reached', message, {
    fix: 'Try again when a job has ended',
    retryAfterSeconds: RETRY_AFTER_S,
  })
}

function outputsFull({ outputBytes }: UploadQuotas): string {
  return `the workspace keeps all the results it may have, ${megabytes(outputBytes)}`
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / MEGABYTE).toLocaleString('en')} MB`
}
