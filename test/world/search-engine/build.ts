import { execFile, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { archiveClasses, type EngineBuild } from './launch.ts'

const run = promisify(execFile)
const OLDEST_JAVA = 17
/** What a build contains: part of its key, so that a cache never mixes old and new builds. */
const LAYOUT = 'own.jar, classes.jsa'
/** A build takes about two minutes; an hour-old one was killed. */
const ABANDONED_MS = 3_600_000

export type BuildOptions = { log: (line: string) => void; signal: AbortSignal | undefined }

/** What is fetched and compiled: a folder with a pom and our classes. */
export type Recipe = {
  name: string
  folder: string
  megabytes: number
  /** Maven goals; `OUT` is replaced by the output path. */
  goals: string[][]
  /** Folders of jars, in addition to `lib`. */
  more: string[]
  oldestJava: number
  /** A folder whose classes are added if this one lacks them. */
  base?: string
}

const COPY = ['dependency:copy-dependencies', '-DoutputDirectory=OUT/lib', '-DincludeScope=runtime']

export const ELASTICSEARCH: Recipe = {
  name: 'Elasticsearch',
  folder: 'elasticsearch',
  megabytes: 70,
  goals: [COPY],
  more: [],
  oldestJava: OLDEST_JAVA,
}
/** With our classes that differ in version 9. */
export const ELASTICSEARCH_9: Recipe = {
  ...ELASTICSEARCH,
  folder: 'elasticsearch-9',
  oldestJava: 21,
  base: 'elasticsearch',
}
/** The k-NN plugin is a zip that is unpacked. */
export const OPENSEARCH: Recipe = {
  name: 'OpenSearch',
  folder: 'opensearch',
  megabytes: 55,
  goals: [
    [...COPY, '-DexcludeTypes=zip'],
    ['dependency:unpack-dependencies', '-DoutputDirectory=OUT/plugin', '-DincludeTypes=zip'],
  ],
  more: ['plugin'],
  oldestJava: OLDEST_JAVA,
}

/** The class path of an engine. The first call fetches jars and compiles our classes; later calls reuse them. */
export async function buildEngine(recipe: Recipe, { log, signal }: BuildOptions): Promise<EngineBuild> {
  const java = await findJava(recipe.oldestJava, signal)
  const { key, version, sources } = await inputs(recipe)
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace')
  const home = join(cache, `${recipe.folder}-${version}-${key}`)
  const built = { java, classPath: classPathOf(home, recipe), archive: join(home, 'classes.jsa') }
  if (await exists(home)) return built

  await requireTools(java, signal)
  await mkdir(cache, { recursive: true })
  await removeAbandoned(cache)
  const building = join(cache, `.building-${randomUUID()}`)
  try {
    await fetchJars({ building, version, recipe }, { log, signal })
    await compile({ building, sources, recipe, java }, signal)
    await moveIntoPlace(building, home)
  } finally {
    await rm(building, { recursive: true, force: true })
  }
  // In its place, because the archive is valid only for these paths.
  await archiveClasses(recipe.folder, built, signal).catch((error: Error) => {
    signal?.throwIfAborted()
    log(`${recipe.name} will start slowly: ${error.message}`)
  })
  return built
}

/** Shown without a JDK; the engine also runs in Docker, which needs none. */
export class MissingTool extends Error {
  constructor(what: string, oldest = OLDEST_JAVA) {
    super(
      `${what}; a local search engine needs a JDK ${oldest} and Maven. On Debian: apt-get install ` +
        'openjdk-17-jdk maven. Or start Docker, or set MILLRACE_DEMO_SEARCH_URL to a running Elasticsearch',
    )
    this.name = 'MissingTool'
  }
}

function classPathOf(home: string, { more }: Recipe): string {
  const jars = ['lib', ...more].map((folder) => join(home, folder, '*'))
  // A jar, because Java archives no classes if a folder is in the path.
  return [join(home, 'own.jar'), ...jars].join(':')
}

function folderOf({ folder }: Recipe): string {
  return join(import.meta.dirname, folder)
}

async function inputs(recipe: Recipe): Promise<{ key: string; version: string; sources: string[] }> {
  const here = folderOf(recipe)
  const ownNames = await javaIn(here)
  const base = recipe.base ? join(import.meta.dirname, recipe.base) : here
  const inherited = (await javaIn(base)).filter((name) => !ownNames.includes(name))
  const sources = [...ownNames.map((name) => join(here, name)), ...inherited.map((name) => join(base, name))]
  const hash = createHash('sha256').update(LAYOUT)
  for (const path of [join(here, 'pom.xml'), ...sources])
    hash.update(`${relative(path.startsWith(here) ? here : base, path)}\n`).update(await readFile(path))
  const pom = await readFile(join(here, 'pom.xml'), 'utf8')
  const version = /<(?:es|engine)\.version>([^<]+)</.exec(pom)?.[1]
  if (!version) throw new Error('pom.xml does not say its version')
  return { key: hash.digest('hex').slice(0, 12), version, sources }
}

async function javaIn(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.java')).sort()
}

/** JAVA_HOME, or else a new enough JDK of the system. */
async function findJava(oldest: number, signal: AbortSignal | undefined): Promise<string> {
  const ownNames = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java'
  const installed = (await readdir(INSTALLED).catch(() => [])).sort()
  const version = await versionOf(ownNames, signal)
  if (version !== null && version >= oldest) return ownNames
  for (const name of installed) {
    const java = join(INSTALLED, name, 'bin', 'java')
    if (((await versionOf(java, signal)) ?? 0) >= oldest) return java
  }
  throw new MissingTool(version === null ? 'java is not installed' : `java is version ${version}`, oldest)
}

const INSTALLED = '/usr/lib/jvm'

/** Null where there is none. */
async function versionOf(java: string, signal: AbortSignal | undefined): Promise<number | null> {
  try {
    const { stderr, stdout } = await run(java, ['-version'], { signal })
    return Number(/version "(\d+)/.exec(stderr + stdout)?.[1] ?? OLDEST_JAVA)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return null
    throw error
  }
}

async function requireTools(java: string, signal: AbortSignal | undefined): Promise<void> {
  await run(toolOf(java, 'javac'), ['-version'], { signal }).catch(missing('javac'))
  await run('mvn', ['-v'], { signal }).catch(missing('mvn'))
}

/** Another command of the same JDK. */
function toolOf(java: string, name: string): string {
  return java.replace(/java$/, name)
}

function missing(name: string): (error: unknown) => never {
  return (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw new MissingTool(`${name} is not installed`)
    throw error
  }
}

type Fetching = { building: string; version: string; recipe: Recipe }

async function fetchJars(
  { building, version, recipe }: Fetching,
  { log, signal }: BuildOptions,
): Promise<void> {
  await mkdir(building)
  await writeFile(join(building, 'pom.xml'), await readFile(join(folderOf(recipe), 'pom.xml')))
  log(`fetching ${recipe.name} ${version} from Maven, ${recipe.megabytes} MB, only this once …`)
  for (const goal of recipe.goals) {
    const args = goal.map((word) => word.replace('OUT', building))
    await runMaven({ name: recipe.name, building, args }, { log, signal })
  }
}

type Maven = { name: string; building: string; args: string[] }

async function runMaven({ name, building, args }: Maven, { log, signal }: BuildOptions): Promise<void> {
  const maven = spawn('mvn', ['-B', ...args], {
    cwd: building,
    stdio: ['ignore', 'pipe', 'ignore'],
    signal,
  })
  const ended = new Promise<number | null>((resolve, reject) =>
    maven.on('close', resolve).on('error', reject),
  )
  const problems: string[] = []
  let kilobytes = 0
  let loggedAt = Date.now()
  for await (const line of createInterface(maven.stdout)) {
    if (line.startsWith('[ERROR]')) problems.push(line.slice('[ERROR] '.length))
    const size = /Downloaded from .*\.(?:jar|zip) \(([\d.]+) (kB|MB)/.exec(line)
    kilobytes += size ? Number(size[1]) * (size[2] === 'MB' ? 1000 : 1) : 0
    if (Date.now() - loggedAt < 5000) continue
    loggedAt = Date.now()
    log(`fetching ${name}: ${Math.round(kilobytes / 1000)} MB …`)
  }
  const code = await ended
  if (code !== 0)
    throw new Error(`Maven could not fetch ${name} (exit ${code}): ${problems[0] ?? 'no reason given'}`)
}

type Compiling = { building: string; sources: string[]; recipe: Recipe; java: string }

async function compile({ building, sources, recipe, java }: Compiling, signal: AbortSignal | undefined) {
  const classPath = classPathOf(building, recipe)
  const args = ['-nowarn', '-Xlint:none', '-d', join(building, 'classes'), '-cp', classPath]
  await run(toolOf(java, 'javac'), [...args, ...sources], { signal })
  const jar = ['cf', join(building, 'own.jar'), '-C', join(building, 'classes'), '.']
  await run(toolOf(java, 'jar'), jar, { signal })
  await rm(join(building, 'classes'), { recursive: true })
}

/** If another process finished first, its result is used. */
async function moveIntoPlace(building: string, home: string): Promise<void> {
  await rename(building, home).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
}

async function removeAbandoned(cache: string): Promise<void> {
  for (const name of await readdir(cache)) {
    if (!name.startsWith('.building-')) continue
    const made = await stat(join(cache, name)).catch(() => null)
    if (made && Date.now() - made.mtimeMs > ABANDONED_MS)
      await rm(join(cache, name), { recursive: true, force: true })
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null
}
