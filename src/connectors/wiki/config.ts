import { z } from 'zod'
import type { Egress } from '../egress/egress.ts'
import { authorityProblem, certificatesIn, MAX_AUTHORITY_LENGTH } from '../egress/pem.ts'
import { addressShortenings } from './page-addresses.ts'

/** `null` and `""` count as absent, in forms, job files and flags. */
const emptyAsAbsent = <T extends z.ZodType>(schema: T) =>
  z.preprocess((value) => (value === null || value === '' ? undefined : value), schema)

const text = z.string().trim().min(1)

/** Two megabytes as Base64, which every index accepts as one field. */
export const MAX_IMAGE_BYTES = 1_500_000
/** Seven megabytes as Base64: hosted clusters take requests of ten. */
const MAX_IMAGE_BYTES_SETTING = 5_000_000

export const wikiSchema = z
  .strictObject({
    url: emptyAsAbsent(
      z.string('url is required: the address of the wiki').trim().superRefine(checkAddress),
    ).meta({
      title: 'Address of the wiki',
      description: 'Where people open the wiki in a browser. The address of a page or space is shortened.',
      examples: ['https://acme.atlassian.net', 'https://wiki.acme.example/confluence'],
      shortens: addressShortenings,
      implies: [
        { pattern: '^https://[^/]+\\.(atlassian\\.net|jira\\.com)(/|$)', values: { cloud: true } },
        { pattern: '^https?://[^/]+', values: { cloud: false } },
      ],
    }),
    cloud: emptyAsAbsent(z.boolean('cloud must be true or false').default(false)).meta({
      title: 'Deployment',
      description: 'Cloud for a wiki on atlassian.net, Data Center for a wiki on your own servers.',
      choices: { true: 'Cloud', false: 'Data Center' },
    }),
    username: emptyAsAbsent(text.optional()).meta({
      title: 'User name',
      description: 'The e-mail address of the account (Cloud), or its user name (Data Center).',
      examples: ['reader@acme.example'],
    }),
    token: emptyAsAbsent(text.optional()).meta({
      title: 'Token',
      description:
        'An API token (Cloud), which needs the user name, or a personal access token (Data Center) without one.',
      secret: true,
    }),
    password: emptyAsAbsent(text.optional()).meta({
      title: 'Password',
      description: 'Instead of a token. Needs the user name.',
      secret: true,
    }),
    spaces: emptyAsAbsent(z.array(text, 'spaces must be a list of space keys').default([])).meta({
      title: 'Spaces',
      description: 'Keys of the spaces to read. Empty for all current spaces, including personal ones.',
      examples: [['ENG', 'HR']],
      widget: 'scopes',
    }),
    max_num_of_spaces: emptyAsAbsent(count('max_num_of_spaces').default(500)).meta({
      title: 'Maximum number of spaces',
      description:
        'If there are more spaces, those with the lowest ids are read, and the run names the others.',
      limits: 'scopes',
    }),
    max_num_of_docs_from_each_space: emptyAsAbsent(
      count('max_num_of_docs_from_each_space').default(150),
    ).meta({
      title: 'Maximum number of pages per space',
      description:
        'If a space has more pages, those with the lowest ids are read, and the run names the space.',
      limits: 'documents',
    }),
    extract_images: emptyAsAbsent(z.boolean('extract_images must be true or false').default(false)).meta({
      title: 'Images',
      description: 'Include the images of pages: attached images, and public images by URL.',
      advanced: true,
    }),
    max_image_bytes: emptyAsAbsent(
      count('max_image_bytes')
        .max(
          MAX_IMAGE_BYTES_SETTING,
          `max_image_bytes must be ${MAX_IMAGE_BYTES_SETTING.toLocaleString('en')} or less`,
        )
        .default(MAX_IMAGE_BYTES),
    ).meta({
      title: 'Maximum image size',
      description: 'In bytes. Larger images are left out, and the run lists them with their sizes.',
      advanced: true,
    }),
    extract_files: emptyAsAbsent(z.boolean('extract_files must be true or false').default(false)).meta({
      title: 'Files',
      description: 'Read attached files as documents of their own, with the permissions of their page.',
      advanced: true,
    }),
    files: emptyAsAbsent(z.enum(['all', 'embedded'], 'files must be all or embedded').default('all')).meta({
      title: 'Which files',
      description: 'With files: all attached files, or only those that the text of a page shows or links to.',
      advanced: true,
    }),
    include_blog_posts: emptyAsAbsent(
      z.boolean('include_blog_posts must be true or false').default(false),
    ).meta({
      title: 'Blog posts',
      description: 'Read blog posts as well as pages.',
      advanced: true,
    }),
    include_comments: emptyAsAbsent(z.boolean('include_comments must be true or false').default(false)).meta({
      title: 'Comments',
      description: 'Read the open comments on a page (below it and inside it) as part of the page.',
      advanced: true,
    }),
    statuses: emptyAsAbsent(
      z
        .array(
          z.enum(['current', 'archived'], 'statuses must be current, archived or both'),
          'statuses must be a list of current, archived or both',
        )
        .min(1, 'statuses must contain current, archived or both')
        .default(['current']),
    ).meta({
      title: 'Statuses',
      description: 'Read current pages, archived pages or both. Drafts and trashed pages are never read.',
      advanced: true,
    }),
    include_labels: emptyAsAbsent(z.array(text, 'include_labels must be a list of labels').default([])).meta({
      title: 'Include labels',
      description: 'Only pages with at least one of these labels are read. Empty for all pages.',
      examples: [['kb', 'runbook']],
      advanced: true,
    }),
    exclude_labels: emptyAsAbsent(z.array(text, 'exclude_labels must be a list of labels').default([])).meta({
      title: 'Exclude labels',
      description: 'Pages with any of these labels are left out.',
      examples: [['draft', 'obsolete']],
      advanced: true,
    }),
    cql: emptyAsAbsent(
      z.string('cql must be text').trim().max(2000, 'cql must have 2,000 characters or fewer').optional(),
    ).meta({
      title: 'Filter (CQL)',
      description:
        'Only pages that match this CQL query are read. The search of the wiki may lag behind by minutes.',
      examples: ['ancestor = 98700 and lastmodified > now("-1y")'],
      advanced: true,
    }),
    ca_certificate: emptyAsAbsent(
      z
        .string('ca_certificate must be text')
        .trim()
        .max(MAX_AUTHORITY_LENGTH, {
          error: 'ca_certificate must have 65,536 characters or fewer',
          abort: true,
        })
        .superRefine(checkAuthority)
        .optional(),
    ).meta({
      title: 'CA certificate',
      description:
        "The certificate of the wiki's own certificate authority, in PEM. Not needed for public authorities.",
      advanced: true,
      widget: 'lines',
    }),
    unproved_ancestors: emptyAsAbsent(
      z.enum(['hide', 'open'], 'unproved_ancestors must be hide or open').default('hide'),
    ).meta({
      title: 'Pages below unproved folders',
      description:
        'The wiki does not report every restriction of folders, whiteboards and databases. If one cannot be ' +
        'ruled out, hide shows the pages below only to people the wiki confirms; open assumes no restriction.',
      advanced: true,
    }),
  })
  .superRefine(checkMode)
  .superRefine(checkFilter)

export type WikiConfig = z.output<typeof wikiSchema>

/** The authorization header. */
export function authorization({ username, token, password }: WikiConfig): string {
  if (!username) return `Bearer ${token}`
  return `Basic ${Buffer.from(`${username}:${token ?? password}`, 'utf8').toString('base64')}`
}

/** What to trust for the wiki alone, or null. */
export function trustOf({
  url,
  ca_certificate,
}: WikiConfig): { hosts: string[]; certificates: string[] } | null {
  const certificates = ca_certificate ? certificatesIn(ca_certificate) : null
  return certificates && { hosts: [new URL(url).host], certificates }
}

/** The address, unless it is allowed: only listed hosts may use http or private addresses. */
export function refusedFields(config: WikiConfig, egress: Egress): { field: string; msg: string }[] {
  const url = new URL(config.url)
  const refusal = egress.refusal(url)
  return refusal ? [{ field: 'url', msg: `this address cannot be used: ${refusal}` }] : []
}

function count(field: string) {
  return z.int(`${field} must be a whole number`).min(1, `${field} must be 1 or more`)
}

function checkAddress(value: string, context: z.RefinementCtx): void {
  const problem = addressProblem(value)
  if (problem) context.addIssue({ code: 'custom', message: `url ${problem}` })
}

function checkAuthority(value: string, context: z.RefinementCtx): void {
  const problem = authorityProblem(value)
  if (problem) context.addIssue({ code: 'custom', message: `ca_certificate ${problem}` })
}

function addressProblem(value: string): string | null {
  const url = URL.parse(value)
  if (!url || !/^https?:\/\//i.test(value)) {
    return 'is not an address such as https://acme.atlassian.net'
  }
  if (url.username || url.password)
    return 'must not contain a user name or password; use the fields username and password'
  // The text too: a bare `?` or `#` is lost in parsing.
  if (/[?#]/.test(value)) return 'must not contain a query (?…) or a fragment (#…)'
  if (/\/(spaces|display|pages|x)(\/|$)/.test(url.pathname)) {
    return 'is the address of a page or space; enter the address of the wiki, such as https://acme.atlassian.net'
  }
  return null
}

const MODES =
  'Sign in with exactly one of: username and token (API token), token alone with cloud false ' +
  '(personal access token), or username and password'

type Mode = { username?: string; token?: string; password?: string; cloud: boolean }

function checkMode(config: Mode, context: z.RefinementCtx): void {
  const problem = modeProblem(config)
  if (problem)
    context.addIssue({ code: 'custom', path: [problem.field], message: `${problem.msg}. ${MODES}` })
}

function modeProblem({ username, token, password, cloud }: Mode): { field: string; msg: string } | null {
  if (token && password) return { field: 'password', msg: 'password and token are both set' }
  if (password && !username) return { field: 'username', msg: 'username is missing; a password needs one' }
  if (username && !token && !password)
    return { field: 'token', msg: 'token or password is missing; a username needs one of them' }
  if (!token && !password) return { field: 'token', msg: 'token, or username and password, is missing' }
  if (token && !username && cloud) {
    return { field: 'cloud', msg: 'cloud must be false for a token without a username' }
  }
  return null
}

function checkFilter(
  { cql, statuses }: { cql?: string | undefined; statuses: string[] },
  context: z.RefinementCtx,
): void {
  if (!cql || !statuses.includes('archived')) return
  const message = 'cql finds current pages only: leave archived out of statuses, or leave cql out'
  context.addIssue({ code: 'custom', path: ['cql'], message })
}
