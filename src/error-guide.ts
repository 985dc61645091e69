import { catalogue, type ErrorCode } from './errors.ts'

/** What each error code means and what a person can do; docs/errors.md is generated from it. */
const guide: Record<ErrorCode, { means: string; fix: string }> = {
  invalid_request: {
    means: 'The request does not match its schema.',
    fix: 'Correct the fields in `detail`; each has its path and the reason.',
  },
  unauthorized: {
    means: 'The API key or session is missing, wrong or expired.',
    fix: 'Send a valid key in the `unstructured-api-key` header, or sign in again.',
  },
  forbidden: {
    means: 'The caller’s role does not allow this.',
    fix: 'Ask an administrator of the workspace for the role that the message names.',
  },
  key_scope: {
    means: 'The scope of the API key does not allow this.',
    fix: 'Use a full key, or a search key for this destination and person.',
  },
  not_found: {
    means: 'Nothing exists at this address in this workspace.',
    fix: 'Check the id, and that the key belongs to the right workspace.',
  },
  name_taken: { means: 'Another object has this name.', fix: 'Choose another name.' },
  in_use: {
    means: 'Something else uses the object, or already writes to the same target.',
    fix: 'Change or delete what the message names first.',
  },
  job_active: { means: 'A job is running.', fix: 'Wait for the job, or cancel it.' },
  not_possible: {
    means: 'The object is in a state that does not allow this.',
    fix: 'Read the message: it names the state and the next step.',
  },
  rate_limited: { means: 'Too many requests.', fix: 'Wait for the seconds in `Retry-After`, then retry.' },
  quota_reached: {
    means: 'The workspace uses all of a quota: active jobs of files, waiting files or kept results.',
    fix: 'Wait until jobs end or results expire, or ask the service operator for a higher quota.',
  },
  body_too_large: { means: 'The request body is too large.', fix: 'Send less in one request.' },
  request_timeout: {
    means: 'The body of the request stopped arriving, or arrived too slowly.',
    fix: 'Send it again. Check the connection if this keeps happening.',
  },
  read_timeout: {
    means: 'Reading what the request asks for takes the database too long.',
    fix: 'Ask for fewer entries or a shorter time, or use more filters.',
  },
  identity_not_configured: {
    means: 'The request has a person token, but the workspace has no identity settings.',
    fix: 'An administrator sets the identity provider under Settings, Identity.',
  },
  person_token_invalid: {
    means: 'The token in `X-Person-Token` does not prove a person.',
    fix: 'Get a new token from the identity provider. The message names what is wrong with this one.',
  },
  identity_provider_failed: {
    means: 'The keys of the identity provider cannot be read, so no person token can be checked.',
    fix: 'Try again. If this keeps happening, check the addresses in the identity settings.',
  },
  email_not_supported: {
    means: 'The service sends no e-mail.',
    fix: 'Use a channel of type `webhook`, or read the feed of notifications.',
  },
  settings_changed: {
    means:
      'A worker would write other elements than the job began with: its release, the source or a model changed.',
    fix: 'Run the workflow again once all workers have the same release and settings.',
  },
  egress_refused: {
    means: 'The service operator does not allow connections to this host, or the egress proxy refuses them.',
    fix: 'Add the host to `MILLRACE_ALLOWED_HOSTS`, allow it in the proxy, or use another address. The message names which.',
  },
  secret_unreadable: {
    means: 'A stored secret cannot be decrypted with the current master key.',
    fix: 'Restore the master key, or enter the secret again.',
  },
  source_unreachable: {
    means: 'The source does not respond.',
    fix: 'Check the address, the network and the certificate. The job retries on its own.',
  },
  source_unauthorized: {
    means: 'The source rejected the credentials.',
    fix: 'Check the username and token of the source connector, and whether the token has expired.',
  },
  source_forbidden: {
    means: 'The account of the source connector may not read this.',
    fix: 'Grant the account the permission that the message names.',
  },
  source_not_found: { means: 'The source does not have this object.', fix: 'Nothing, if it was deleted.' },
  source_space_missing: {
    means: 'A configured scope does not exist, or the account cannot see it.',
    fix: 'Correct the list of scopes, or grant the account access.',
  },
  source_filter_wrong: { means: 'The source does not understand the filter.', fix: 'Correct the filter.' },
  source_misread: {
    means: 'A response of the source does not have the expected form.',
    fix: 'Retry. If this keeps happening, report it with the version of the source.',
  },
  source_not_a_wiki: {
    means: 'The system at the configured address is not the expected one.',
    fix: 'Correct the address; open it in a browser to compare.',
  },
  other_site: {
    means: 'The document belongs to another site than the source’s, where its id may mean another document.',
    fix: 'Run the workflow again: it lists the documents of the site that the source has now.',
  },
  source_answer_too_long: {
    means: 'A response of the source exceeds the size limit.',
    fix: 'Make the document smaller, or exclude it.',
  },
  source_failed: { means: 'The source answered with a server error.', fix: 'Retry later.' },
  document_too_large: { means: 'The document needs more memory than allowed.', fix: 'Split the document.' },
  file_too_large: {
    means: 'The file exceeds the size limit and is skipped until it changes.',
    fix: 'Split the file, or leave it out.',
  },
  document_unsupported: {
    means: 'The file type is not supported, or the file is empty. It is skipped until it changes.',
    fix: 'Convert the file; docs/files.md lists supported types.',
  },
  document_broken: { means: 'The document cannot be parsed.', fix: 'Open it, repair it and save it again.' },
  worker_stopped: {
    means: 'Processing the document ended the process of the worker, twice while it was processed alone.',
    fix: 'Check the size of the document and the settings of the workflow, and the memory of the worker. The next run tries again.',
  },
  document_gone: { means: 'The document was deleted during the run.', fix: 'Nothing.' },
  embedder_failed: { means: 'Embedding failed.', fix: 'Retry. Check the provider’s status.' },
  model_failed: { means: 'The language model failed.', fix: 'Retry. Check the provider’s status.' },
  model_unauthorized: {
    means: 'The model provider rejected the key.',
    fix: 'Check the key of the provider in the environment.',
  },
  model_tokens_used_up: {
    means: 'The workspace has used its model tokens of today.',
    fix: 'Wait for UTC midnight, then run the workflow again: it processes the documents that failed. The service operator can raise `MILLRACE_MODEL_TOKENS_PER_DAY`.',
  },
  destination_unreachable: {
    means: 'The destination does not respond.',
    fix: 'Check the address, the network and the certificate. The job retries on its own.',
  },
  destination_unauthorized: {
    means: 'The destination rejected the key or password, or the account lacks a privilege.',
    fix: 'Check the key or password, and grant the privileges that the message names.',
  },
  destination_index_missing: {
    means: 'The index or table does not exist, or another has its name now.',
    fix: 'Create it or correct its name. To fill a new index or table, run with `reprocess_all`.',
  },
  destination_schema: {
    means: 'The index or table has incompatible fields.',
    fix: 'Use a new index or table, or change the field that the message names.',
  },
  destination_overloaded: {
    means: 'The destination refuses writes for lack of capacity.',
    fix: 'The job retries with backoff. Add capacity if this keeps happening.',
  },
  index_taken: {
    means:
      'Another workflow copies the same site into the same index, perhaps by another name or host of it.',
    fix: 'Use another index, or delete the other workflow.',
  },
  destination_read_only: {
    means: 'The index or database is read-only, often because a disk is full.',
    fix: 'Free disk space and remove the block.',
  },
  destination_rejected: {
    means: 'The destination rejected an element.',
    fix: 'Read the reason; it names the field.',
  },
  destination_full: {
    means: 'The destination has no room for another document, such as a full sandbox.',
    fix: 'Use a destination of your own, or remove documents from this one.',
  },
  cancelled: { means: 'The job was cancelled.', fix: 'Start it again when needed.' },
  taken_over: {
    means: 'Another task kept writing the same documents, or has already done this work.',
    fix: 'Start the job again when no other job writes to the same index.',
  },
  workflow_deleted: {
    means: 'The workflow was deleted while the job ran.',
    fix: 'Create the workflow again if you still need it.',
  },
  client_disconnected: {
    means: 'The client closed the connection before the response; only the log shows this.',
    fix: 'Let the client wait longer.',
  },
  service_closing: {
    means: 'The service is shutting down.',
    fix: 'Send the request again after the restart. Jobs continue by themselves.',
  },
  internal: {
    means: 'An unexpected error in Millrace.',
    fix: 'Find the `request_id` or job id in the log, and report it.',
  },
}

const HEAD = `# Error codes

<!-- Generated by \`npm run docs\` from src/errors.ts and src/error-guide.ts. -->

Every error of the API, of a job and of \`millrace-ingest\` has one of these codes.

- **HTTP**: the status of a request that fails with it.
- **Retry**: whether the same request can succeed later. Jobs retry these on their own.
- **Fails**: one document, or the whole job. *Skips* means that the document is left out without counting as failed.
`

/** What a person can do; a stored code that left the catalogue has no entry. */
export function fixOf(code: string): string | null {
  return Object.hasOwn(guide, code) ? guide[code as ErrorCode].fix : null
}

export function errorsPage(): string {
  const rows = Object.entries(guide).map(([code, { means, fix }]) => {
    const entry: { status: number; retry: boolean; fails: string; skips?: string } =
      catalogue[code as ErrorCode]
    const fails = entry.skips ? 'skips' : entry.fails
    return `| <a id="${code}"></a>\`${code}\` | ${entry.status} | ${entry.retry ? 'yes' : 'no'} | ${fails} | ${means} | ${fix} |`
  })
  const table = [
    '| Code | HTTP | Retry | Fails | Meaning | What to do |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]
  return `${HEAD}\n${table.join('\n')}\n`
}
