import { z } from 'zod'

const text = z.string().trim().min(1).max(255)
const emptyAsAbsent = <T extends z.ZodType>(shape: T) =>
  z.preprocess((value) => (value === '' ? null : value), shape)
const address = z
  .string()
  .trim()
  .max(2000)
  .refine(isAddress, 'should be an address such as https://login.acme.example, without query or user name')

/** `email` needs a claim that the identity provider verifies, or `trust_email`. */
export const identitySettingsBody = z
  .strictObject({
    issuer: address,
    audience: text,
    jwks_url: emptyAsAbsent(address.nullish()).transform((url) => url ?? null),
    claim: emptyAsAbsent(text.nullish()),
    mapping: z.enum(['account_id', 'email', 'table']),
    trust_email: z.boolean().default(false),
  })
  .superRefine(({ mapping, claim, trust_email }, context) => {
    if (mapping !== 'email' || trust_email || (claim ?? 'email') === 'email') return
    const message = 'only the claim email can be verified; set trust_email if every address of this claim is'
    context.addIssue({ code: 'custom', path: ['claim'], message })
  })

export const identitySettingsShape = z.object({
  issuer: z.string(),
  audience: z.string(),
  jwks_url: z.string().nullable(),
  claim: z.string(),
  mapping: z.enum(['account_id', 'email', 'table']),
  trust_email: z.boolean(),
})

export const identityTestShape = z.object({
  valid: z.boolean(),
  code: z.string().nullable(),
  reason: z.string().nullable(),
  person: z
    .object({
      issuer: z.string(),
      audience: z.array(z.string()),
      subject: z.string().nullable(),
      claim: z.string(),
      value: z.string(),
      mapping: z.enum(['account_id', 'email', 'table']),
      expires_at: z.string(),
    })
    .nullable(),
  sources: z.array(
    z.object({
      source_id: z.string(),
      name: z.string(),
      account: z.string().nullable(),
      /** Why the account gives no permissions of its own. */
      reason: z.string().nullable(),
    }),
  ),
})

export const identityShape = z.object({
  id: z.string(),
  source_id: z.string(),
  kind: z.enum(['email', 'claim', 'member']),
  value: z.string(),
  /** The address of a member. */
  member: z.string().nullable(),
  account: z.string(),
  origin: z.enum(['import', 'source', 'link']),
  /** Whether the value names several accounts of the source, so that it matches none. */
  ambiguous: z.boolean(),
  created_at: z.string(),
})

export const identityPageShape = z.object({
  items: z.array(identityShape),
  next: z.string().nullable(),
  /** Of all identities that match the filters. */
  counts: z.object({
    total: z.number(),
    import: z.number(),
    source: z.number(),
    link: z.number(),
    ambiguous: z.number(),
  }),
})

export const unmatchedShape = z.object({
  /** Accounts that no identity names. */
  accounts: z.array(z.object({ account: z.string(), name: z.string().nullable() })),
  next: z.string().nullable(),
  /** Values of person tokens that matched no account, newest first. */
  claims: z.array(
    z.object({
      kind: z.enum(['email', 'claim']),
      value: z.string(),
      reason: z.enum(['unknown', 'ambiguous']),
      seen_at: z.string(),
    }),
  ),
  /** When the people of the source were last read completely. */
  read_at: z.string().nullable(),
})

function isAddress(value: string): boolean {
  const url = URL.parse(value)
  return (
    url !== null && /^https?:$/.test(url.protocol) && !/[?#]/.test(value) && !url.username && !url.password
  )
}
