import { makeResetLink } from './accounts/password-reset.ts'
import { type Environment, EnvironmentError, readEnvironment } from './environment.ts'
import { AppError } from './errors.ts'
import { explainMissingTable, runOperatorCommand, withServiceDatabase } from './operator-command.ts'
import { findPerson } from './store/accounts/people.ts'

/** `npm run reset-password -- EMAIL` prints a link to set a new password. */
async function main(): Promise<void> {
  const [email, ...rest] = process.argv.slice(2)
  if (!email?.includes('@') || rest.length > 0)
    throw new EnvironmentError('one e-mail address is needed: npm run reset-password -- ada@acme.example')
  const environment = readEnvironment(undefined, [])
  await withServiceDatabase(environment, { name: 'reset-password' }, async (db) => {
    const person = await findPerson(db, email).catch(explainMissingTable)
    if (!person) throw new AppError('not_found', `no account has the address ${email}`)
    const { token, expiresAt } = await makeResetLink(db, person, null)
    console.log(
      [
        `A link to set a new password for ${person.name} (${person.email}), valid once and until ${expiresAt.toISOString()}:`,
        '',
        `  ${pageUrl(environment)}/reset-password/${token}`,
        '',
        'If people open the page at another address, use that instead. Using the link ends all sessions of the person.',
      ].join('\n'),
    )
  })
}

function pageUrl({ host, port, publicUrls: [first] }: Environment): string {
  if (first) return first.href.replace(/\/$/, '')
  const isWildcard = host === '0.0.0.0' || host === '::'
  const name = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

await runOperatorCommand(main)
