import { type Environment, EnvironmentError } from './environment.ts'
import { AppError } from './errors.ts'
import { closeDatabase, type Database, openDatabase, reachDatabase } from './store/database.ts'
import { databaseProblem } from './store/database-problem.ts'
import { hasCluster } from './store/embedded/home.ts'
import { startEmbeddedPostgres } from './store/embedded/start.ts'

/** Runs a command of the service operator; errors are one line. */
export async function runOperatorCommand(main: () => Promise<void>): Promise<void> {
  try {
    await main()
  } catch (error) {
    const text = error instanceof AppError && error.fix ? `${error.message}. ${error.fix}` : String(error)
    console.error(`millrace: ${text.replace(/^\w*Error: /, '')}`)
    process.exitCode = error instanceof EnvironmentError ? 2 : 1
  }
}

/** The database of the service, which may be running. */
export async function withServiceDatabase<T>(
  { databaseUrl, dataDir }: Environment,
  { name, createsCluster = false }: { name: string; createsCluster?: boolean },
  work: (db: Database, url: string) => Promise<T>,
): Promise<T> {
  if (!databaseUrl && !createsCluster && !(await hasCluster(dataDir)))
    throw new EnvironmentError(
      `there is no database in ${dataDir}; set MILLRACE_DATA_DIR or DATABASE_URL as for npm start`,
    )
  const silent = { debug: () => {}, info: () => {}, warn: () => {} }
  const embedded = databaseUrl ? null : await startEmbeddedPostgres({ dataDir, log: silent })
  const url = databaseUrl ?? embedded!.url
  const db = openDatabase(url, { max: 2, applicationName: `millrace ${name}` })
  try {
    await reachDatabase(db).catch((error) => {
      if (!databaseUrl) throw error
      throw new EnvironmentError(`DATABASE_URL: ${databaseProblem(databaseUrl, error)}`)
    })
    return await work(db, url)
  } finally {
    await closeDatabase(db)
    await embedded?.stop()
  }
}

/** 42P01: a table is missing. The database may belong to another program. */
export function explainMissingTable(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === '42P01')) throw error
  throw new AppError('not_found', 'this database holds no accounts of Millrace', {
    fix: 'Check DATABASE_URL; if it is right, start the service once',
  })
}
