import { makeResetLink } from './accounts/password-reset.ts'
import { type Environment, EnvironmentError, readEnvironment } from './environment.ts'
import { AppError } from './errors.ts'
import { findPerson } from './store/accounts/people.ts'
import { closeDatabase, type Database, openDatabase, reachDatabase } from './store/database.ts'
import { databaseProblem } from './store/database-problem.ts'
import { hasCluster } from './store/embedded/home.ts'
import { startEmbeddedPostgres } from './store/embedded/start.ts'

/** `npm run reset-password -- EMAIL` prints a link to set a new password. */
async function main(): Promise<void> {
  const [email, ...rest] = process.argv.slice(2)
  if (!email?.includes('@') || rest.length > 0)
    throw new EnvironmentError('one e-mail address is needed: npm run reset-password -- ada@acme.example')
  const environment = readEnvironment(undefined, [])
  await withDatabase(environment, async (db) => {
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

async function withDatabase(
  { databaseUrl, dataDir }: Environment,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  if (!databaseUrl && !(await hasCluster(dataDir)))
    throw new EnvironmentError(
      `there is no database in ${dataDir}; set MILLRACE_DATA_DIR or DATABASE_URL as for npm start`,
    )
  const silent = { debug: () => {}, info: () => {}, warn: () => {} }
  const embedded = databaseUrl ? null : await startEmbeddedPostgres({ dataDir, log: silent })
  const db = openDatabase(databaseUrl ?? embedded!.url, {
    max: 2,
    applicationName: 'millrace reset-password',
  })
  try {
    await reachDatabase(db).catch((error) => {
      if (!databaseUrl) throw error
      throw new EnvironmentError(`DATABASE_URL: ${databaseProblem(databaseUrl, error)}`)
    })
    await work(db)
  } finally {
    await closeDatabase(db)
    await embedded?.stop()
  }
}

/** 42P01: a table is missing. The database may belong to another program. */
function explainMissingTable(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === '42P01')) throw error
  throw new AppError('not_found', 'this database holds no accounts of Millrace', {
    fix: 'Check DATABASE_URL; if it is right, start the service once',
  })
}

function pageUrl({ host, port, publicUrls: [first] }: Environment): string {
  if (first) return first.href.replace(/\/$/, '')
  const isWildcard = host === '0.0.0.0' || host === '::'
  const name = isWildcard ? 'localhost' : host.includes(':') ? `[${host}]` : host
  return `http://${name}:${port}`
}

try {
  await main()
} catch (error) {
  const text = error instanceof AppError && error.fix ? `${error.message}. ${error.fix}` : String(error)
  console.error(`millrace: ${text.replace(/^\w*Error: /, '')}`)
  process.exitCode = error instanceof EnvironmentError ? 2 : 1
}
