import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pythonWithOpenapiTools } from './python.ts'

export type FuzzOptions = {
  url: string
  document: string
  /** Which operations to call, such as `/x-keys != "none"`. */
  operations: string
  /** The credentials. */
  headers: Record<string, string>
  /** Ids that exist, by the first segment of the path. */
  ids: Record<string, string>
  seed: number
  maxExamples: number
}

type Setting = string | number | boolean | number[] | string[] | { [name: string]: Setting }

/** Deviations from the checks, each with its reason. */
const EXCEPTIONS: { reason: string; operations: string[]; settings: Record<string, Setting> }[] = [
  {
    reason: 'the settings of a connector depend on its type; `GET /connector-types` has their schemas',
    operations: [
      'createSource',
      'createDestination',
      'updateSource',
      'updateDestination',
      'createSourceConnect',
      'createDestinationConnect',
      'createSourceOptions',
    ],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'nodes have rules of order and provider, ids have to exist, and schedules depend on each other',
    operations: ['createWorkflow', 'updateWorkflow', 'createJob', 'partitionFiles', 'getScheduleNextRuns'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'only a workflow without source and destination takes files',
    operations: ['runWorkflow'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'the caller decides whether a person has to be named',
    operations: [
      'searchDestination',
      'compareDestination',
      'nativeDestinationQuery',
      'explainDestination',
      'getDestinationTokens',
      'getDestinationDocument',
    ],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'a file of an unknown type, and a wrong password, match the schema',
    operations: ['createElement', 'createAccountEmail'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'a cursor has to come from a response',
    operations: ['getJobDocuments', 'getAudit'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'a channel of type email is described but not supported, and hosts have to be allowed',
    operations: [
      'createNotificationChannel',
      'updateNotificationChannel',
      'createWorkflowNotificationChannel',
      'updateWorkflowNotificationChannel',
    ],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'types of events are a list with commas',
    operations: ['listNotifications', 'getNotificationUnreadCount', 'markNotificationsRead', 'getActivity'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason:
      'addresses of the identity provider are checked, sources have to exist, and CSV has its own query',
    operations: [
      'updateIdentitySettings',
      'testIdentitySettings',
      'importIdentities',
      'listIdentities',
      'linkIdentity',
    ],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
  {
    reason: 'destinations have to exist',
    operations: ['createKey', 'createPersonalToken'],
    settings: { checks: { positive_data_acceptance: { enabled: false } } },
  },
]

/** Runs schemathesis over a document. Returns its report if it found something, else null. */
export async function fuzz(options: FuzzOptions): Promise<string | null> {
  const { url, document, operations, seed, maxExamples } = options
  const python = await pythonWithOpenapiTools()
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-'))
  try {
    await writeFile(join(folder, 'openapi.json'), forGenerator(document))
    await writeFile(join(folder, 'schemathesis.toml'), settings(options))
    const selection = ['--url', url, '--include-by', operations]
    const limits = ['--seed', String(seed), '--max-examples', String(maxExamples)]
    const phases = ['--phases', 'coverage,fuzzing', '--continue-on-failure', '--generation-database', 'none']
    const output = ['--no-color', '--warnings', 'off']
    const slowness = ['--request-timeout', '120', '--suppress-health-check', 'too_slow']
    const command = ['-m', 'schemathesis.cli', 'run', 'openapi.json']
    return await new Promise((resolve) =>
      execFile(
        python,
        [...command, ...selection, ...limits, ...phases, ...output, ...slowness],
        { cwd: folder, env: environment(python), maxBuffer: 64 * 1024 * 1024 },
        (error, stdout, stderr) => resolve(error ? stdout + stderr || error.message : null),
      ),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Settings = { properties: Record<string, object>; required?: string[] }
type Document = {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, { examples?: object }> } }>>
  components: { schemas: Record<string, Settings> }
}

/**
 * The examples of settings name hosts outside this machine. An empty text counts as absent in settings of every type,
 * which their descriptions say and their types leave out.
 */
function forGenerator(text: string): string {
  const document = JSON.parse(text) as Document
  for (const operation of Object.values(document.paths).flatMap((methods) => Object.values(methods)))
    for (const media of Object.values(operation.requestBody?.content ?? {})) delete media.examples
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    if (!/(Source|Destination)(Config|Update)$/.test(name)) continue
    for (const [field, property] of Object.entries(schema.properties)) {
      const plain = { ...property, examples: undefined }
      const isRequired = schema.required?.includes(field)
      schema.properties[field] = isRequired ? plain : { anyOf: [plain, { const: '' }] }
    }
  }
  return JSON.stringify(document)
}

/** Keeps tables of characters, which take 15 s to build. */
function environment(python: string): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, HYPOTHESIS_STORAGE_DIRECTORY: join(python, '../../hypothesis') }
}

function settings({ document, headers, ids }: FuzzOptions): string {
  const known = operationIds(document)
  const top: Record<string, Record<string, Setting>> = {
    headers,
    generation: {
      // Neither the database nor an index stores NUL.
      'allow-x00': false,
      'with-security-parameters': false,
    },
    // Ids of other responses would make runs differ, and delete what later requests need.
    'phases.coverage': { 'extra-data-sources': { responses: false } },
    'phases.fuzzing': { 'extra-data-sources': { responses: false } },
    checks: {
      // A long query makes the head of a request too large.
      negative_data_rejection: { 'expected-statuses': REJECTIONS },
      // Many wrong keys get a 429; roles.test.ts checks credentials.
      ignored_auth: { enabled: false },
    },
  }
  return [
    ...Object.entries(top).map(([name, values]) => `[${name}]\n${lines(values)}`),
    ...Object.entries(ids).map(([noun, id]) =>
      table({
        'include-path-regex': `^/api/v1/${noun}/\\{id\\}`,
        'exclude-method': 'DELETE',
        // Without a worker these jobs do not end.
        'exclude-path-regex': '/(verify|repair)$',
        parameters: { 'path.id': id },
      }),
    ),
    ...EXCEPTIONS.map(({ reason, operations, settings }) => {
      const listed = operations.filter((id) => known.has(id))
      return `# ${reason}\n${table({ 'include-operation-id': listed, ...settings })}`
    }),
  ].join('\n')
}

const REJECTIONS = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 428, 429, 431]

function operationIds(document: string): Set<string> {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, { operationId: string }>> }
  const all = Object.values(paths).flatMap((operations) => Object.values(operations))
  return new Set(all.map(({ operationId }) => operationId))
}

function table(values: Record<string, Setting>): string {
  return `[[operations]]\n${lines(values)}`
}

function lines(values: Record<string, Setting>): string {
  return Object.entries(values)
    .map(([name, value]) => `${JSON.stringify(name)} = ${toToml(value)}\n`)
    .join('')
}

/** Strings and lists of JSON are TOML too. */
function toToml(value: Setting): string {
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value)
  const entries = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)} = ${toToml(inner)}`)
  return `{ ${entries.join(', ')} }`
}
