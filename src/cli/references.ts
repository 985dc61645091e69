import { AppError } from '../errors.ts'

/** `${NAME}`; `$${` is a literal `${`. */
const REFERENCE = /\$\$\{|\$\{([^}]*)\}/g
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

/** Fills in environment variables; a missing one is an error, not an empty password. */
export function fillReferences(value: unknown, env: Record<string, string | undefined>, at = ''): unknown {
  if (typeof value === 'string') return fillText(value, env, at)
  if (Array.isArray(value)) return value.map((item, index) => fillReferences(item, env, `${at}[${index}]`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, fillReferences(item, env, at ? `${at}.${key}` : key)]),
  )
}

function fillText(text: string, env: Record<string, string | undefined>, at: string): string {
  return text.replaceAll(REFERENCE, (whole, name: string | undefined) => {
    if (whole === '$${') return '${'
    const where = at ? `${at} ` : ''
    if (name === undefined || !NAME.test(name)) {
      throw new AppError('invalid_request', `${where}has ${whole}, which is not a variable name`, {
        fix: `Write \${NAME}, or $\${ for a literal \${`,
      })
    }
    const value = env[name]
    if (value !== undefined && value !== '') return value
    throw new AppError(
      'invalid_request',
      `${where}needs the environment variable ${name}, which is not set`,
      {
        fix: `export ${name}=…`,
      },
    )
  })
}
