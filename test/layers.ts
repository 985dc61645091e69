/**
 * Checks the direction of imports: leaf files ← connectors, pipeline ← ingest ← jobs ← workflows ← api; leaf files ←
 * store ← jobs; and accounts, jobs ← search ← mcp, api.
 */
export type SourceFile = { path: string; text: string }

/** What each layer may import besides itself; no layer may import `top`. */
const allowed: Record<string, string[]> = {
  leaf: [],
  connectors: ['leaf'],
  pipeline: ['leaf'],
  store: ['leaf'],
  ingest: ['leaf', 'connectors', 'pipeline'],
  accounts: ['leaf', 'store'],
  jobs: ['leaf', 'connectors', 'pipeline', 'ingest', 'store'],
  workflows: ['leaf', 'connectors', 'pipeline', 'ingest', 'store', 'jobs'],
  search: ['leaf', 'connectors', 'pipeline', 'ingest', 'store', 'accounts', 'jobs'],
  mcp: ['leaf', 'search'],
  api: [
    'leaf',
    'connectors',
    'pipeline',
    'ingest',
    'store',
    'accounts',
    'jobs',
    'workflows',
    'search',
    'mcp',
  ],
  cli: ['leaf', 'connectors', 'pipeline', 'ingest'],
  top: ['leaf', 'connectors', 'pipeline', 'ingest', 'store', 'accounts', 'jobs', 'workflows', 'api', 'cli'],
}
/** Used by several layers. */
const leafFolders = new Set(['log', 'filetype', 'permissions'])
const topFiles = new Set([
  'src/main.ts',
  'src/millrace.ts',
  'src/launch.ts',
  'src/dev.ts',
  'src/run-millrace.ts',
  'src/start.ts',
  'src/environment.ts',
  'src/settings.ts',
  'src/setting-parsers.ts',
  'src/health.ts',
  'src/migrate.ts',
  'src/operator-command.ts',
  'src/reset-password.ts',
  'src/rotate-key.ts',
  'src/backup.ts',
  'src/restore.ts',
])
const vagueWords = new Set(['util', 'utils', 'helper', 'helpers', 'common', 'manager', 'service', 'services'])

/** What every connector may use; it knows none of them. */
const KIT = 'src/connectors/kit/'
const KIT_IMPORTS = /^src\/connectors\/((kit|egress)\/.+|type|source|destination|search)\.ts$/
const ACCESS = 'src/connectors/wiki/access/'
const LISTING = 'src/connectors/wiki/listing/'

/** One line per violation, for files of `src` with paths from the project root. */
export function violations(files: SourceFile[], settings: ReadonlySet<string> = new Set()): string[] {
  const connectors = new Set(
    files.flatMap(({ path }) => /^src\/connectors\/([^/]+)\/config\.ts$/.exec(path)?.[1] ?? []),
  )
  return files.flatMap((file) => [
    ...namesConnectors(file, connectors),
    ...readsSettings(file, { connectors, settings }),
    ...vagueNames(file.path),
    ...readsEnvironment(file),
    ...importsOf(file).flatMap((target) => wrongImport(file.path, target, connectors)),
  ])
}

function wrongImport(from: string, to: string, connectors: Set<string>): string[] {
  const violation = (why: string) => [`${from} imports ${to}: ${why}`]
  if (!to.startsWith('src/')) {
    // package.json ships with the code; tests may use test/.
    const isAllowed = to === 'package.json' || (isTest(from) && to.startsWith('test/'))
    return isAllowed ? [] : violation('src uses nothing outside itself')
  }
  const own = connectorOf(from, connectors)
  const other = connectorOf(to, connectors)
  if (own && other && own !== other) return violation('a connector never imports another')
  if (other && own !== other && from !== 'src/connectors/registry.ts' && !isTest(from)) {
    return violation('only the registry names connectors')
  }
  if (from.startsWith(KIT) && !isTest(from) && to.startsWith('src/connectors/') && !KIT_IMPORTS.test(to)) {
    return violation('the kit uses the contract and the egress alone')
  }
  if (from.startsWith(ACCESS) && to.startsWith(LISTING)) return violation('listing uses access')
  if (own && to === 'src/connectors/registry.ts') return violation('a connector does not know the others')

  const [layer, target] = [layerOf(from), layerOf(to)]
  if (!allowed[layer]) return violation(`${layer} has no place among the layers`)
  if (layer === target || allowed[layer].includes(target)) return []
  return violation(`${layer} may not use ${target}`)
}

/** Files that may name connectors. */
const namingFiles = /^src\/connectors\/registry\.ts$|\.test\.tsx?$/
/** Names of the sample, and an error code on the wire. */
const ALLOWED_NAMES = /sample[-_ ]?wiki|Beispiel-Wiki|source_not_a_wiki/gi

/** Nouns of their own: these count only as a whole string, and not where it means something else. */
const NOUNS: Record<string, RegExp> = {
  // A directory that a reader may open, and a level of permissions.
  folder: /^src\/pipeline\/partition\/reading\/|^src\/permissions\/levels\.ts$/,
  // The flag of an audit.
  sample: /^src\/cli\/commands/,
  // The service's own database, and its name in the accounts library.
  postgres: /^src\/store\/|^src\/accounts\/identity\.ts$/,
}

/** Lines outside a connector that name a connector type. */
export function namesConnectors({ path, text }: SourceFile, connectors: Set<string>): string[] {
  if (namingFiles.test(path) || connectorOf(path, connectors)) return []
  const names = [...connectors].flatMap((name) => {
    const elsewhere = path.startsWith(KIT) && name === 'postgres' ? undefined : NOUNS[name]
    if (!elsewhere) return [name]
    return elsewhere.test(path) ? [] : [`(?<=['"\`])${name}(?=['"\`])`]
  })
  const file = { path, text: text.replaceAll(ALLOWED_NAMES, '') }
  return namedLines(file, { patterns: names, flags: 'i', what: 'names the connector' })
}

/** Columns of the service, and the host by which it finds its own sandbox. */
const OWN_NAMES = new Set(['index_name'])
const SANDBOX_FILES = /^src\/(jobs\/sandbox|store\/connectors\/connectors)\.ts$/

type Settings = { connectors: Set<string>; settings: ReadonlySet<string> }

/** Lines outside a connector that know a setting: a name of several words, or any that is read from a config. */
function readsSettings({ path, text }: SourceFile, { connectors, settings }: Settings): string[] {
  if (namingFiles.test(path) || connectorOf(path, connectors)) return []
  const names = [...settings].filter((name) => !(name === 'host' && SANDBOX_FILES.test(path)))
  const distinct = names.filter((name) => name.includes('_') && !OWN_NAMES.has(name))
  const read = names.flatMap((name) => [
    `\\bconfig\\??\\.${name}\\b`,
    `\\bconfig(->>?|\\[)'${name}'`,
    `\\{[^{}]*\\b${name}\\b[^{}]*\\}(: (Config|Record<string, unknown>)| = [\\w.]*[cC]onfig\\b)`,
  ])
  const patterns = [...distinct.map((name) => `\\b${name}\\b`), ...read]
  return namedLines({ path, text }, { patterns, flags: '', what: 'knows the setting' })
}

type Pattern = { patterns: string[]; flags: string; what: string }

function namedLines({ path, text }: SourceFile, { patterns, flags, what }: Pattern): string[] {
  if (patterns.length === 0) return []
  const named = new RegExp(patterns.join('|'), flags)
  return text.split('\n').flatMap((line, at) => {
    const found = named.exec(line)
    return found ? [`${path}:${at + 1} ${what} ${found[0].toLowerCase()}`] : []
  })
}

function layerOf(path: string): string {
  if (topFiles.has(path) || topFiles.has(path.replace('.test.ts', '.ts'))) return 'top'
  const folder = /^src\/([^/]+)\//.exec(path)?.[1] ?? 'leaf'
  if (folder === 'start') return 'top'
  return leafFolders.has(folder) ? 'leaf' : folder
}

function connectorOf(path: string, connectors: Set<string>): string | undefined {
  const folder = /^src\/connectors\/([^/]+)\//.exec(path)?.[1]
  return folder && connectors.has(folder) ? folder : undefined
}

/** Relative imports from the project root; `staticOnly` leaves out dynamic ones. */
export function importsOf({ path, text }: SourceFile, { staticOnly = false } = {}): string[] {
  const code = withoutComments(staticOnly ? text.replace(/^(im|ex)port type .*$/gm, '') : text)
  const found = code.matchAll(staticOnly ? STATIC_IMPORT : ANY_IMPORT)
  return [...found].map((match) => new URL(match[2]!, `file:///${path}`).pathname.slice(1))
}
const ANY_IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g
const STATIC_IMPORT = /(?:\bfrom\s*|\bimport\s*)(['"])(\.{1,2}\/[^'"]+)\1/g

/** The only files that read the environment. */
const environmentReaders = new Set(['src/environment.ts', 'src/launch.ts', 'src/cli/main.ts'])

function readsEnvironment({ path, text }: SourceFile): string[] {
  if (environmentReaders.has(path) || isTest(path)) return []
  const reads = /\bprocess\s*(\?\.|\.)\s*env\b|\benv\b[^}]*}\s*(from|=)\s*(['"](node:)?process['"]|process\b)/
  return reads.test(withoutComments(text)) ? [`${path} reads process.env: only src/environment.ts does`] : []
}

function vagueNames(path: string): string[] {
  const words = path.split(/[/.-]/)
  return words.filter((word) => vagueWords.has(word)).map((word) => `${path}: "${word}" says nothing`)
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** Good enough for our code: a `//` in a string follows a colon. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
}

/** Groups of files that import each other, types included, one line each. */
export function importCycles(files: SourceFile[]): string[] {
  const byPath = new Map(
    files.filter(({ path }) => !/\.test\.tsx?$/.test(path)).map((file) => [file.path, file]),
  )
  const imports = new Map(
    [...byPath].map(([path, file]) => [path, importsOf(file).filter((target) => byPath.has(target))]),
  )
  // Tarjan's algorithm: a file whose lowest number is its own starts a group.
  const numbers = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): void => {
    const number = numbers.size
    numbers.set(path, number)
    lowest.set(path, number)
    open.push(path)
    for (const target of imports.get(path) ?? []) {
      if (!numbers.has(target)) visit(target)
      if (open.includes(target)) lowest.set(path, Math.min(lowest.get(path)!, lowest.get(target)!))
    }
    if (lowest.get(path) !== number) return
    const group = open.splice(open.indexOf(path))
    if (group.length > 1) cycles.push(group.sort())
  }
  for (const path of byPath.keys()) if (!numbers.has(path)) visit(path)
  return cycles.map((group) => group.join(' ')).sort()
}
