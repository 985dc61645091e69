import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { EnvironmentError, readEnvironment } from './environment.ts'

const person = { uid: 1000, home: '/home/ada' }
const read = (env: Record<string, string>, argv: string[] = []) => readEnvironment(env, argv, person)
const messageOf = (env: Record<string, string>, argv: string[] = []): string => {
  try {
    read(env, argv)
  } catch (error) {
    assert.ok(error instanceof EnvironmentError)
    assert.doesNotMatch(error.message, /\n/)
    return error.message
  }
  return assert.fail('no error was thrown')
}

describe('the environment', () => {
  test('has a default for everything', () => {
    assert.deepEqual(read({}), {
      port: 8080,
      host: '127.0.0.1',
      role: 'all',
      healthPort: null,
      logFormat: null,
      logLevel: 'info',
      databaseUrl: null,
      dataDir: '/home/ada/.local/share/millrace',
      masterKeys: null,
      allowedHosts: [],
      setup: null,
      setupApiKey: null,
      oidc: null,
      rateLimit: 600,
      uploadQuotas: { activeJobs: 50, uploadBytes: 1000 * 1024 ** 2, outputBytes: 5000 * 1024 ** 2 },
      personRateLimit: 120,
      personTokenHours: 24,
      auditDays: 400,
      workspaceRateLimit: 6000,
      maxKeys: 100,
      maxWorkspaces: 100,
      metricsToken: null,
      publicUrls: [],
      databaseConnections: 8,
      workerConcurrency: 3,
      drainSeconds: 30,
      sampleSource: true,
      sandbox: true,
      sandboxMb: 1000,
      trustedProxies: ['127.0.0.0/8', '::1/128'],
      network: { proxy: null, certificates: [] },
      models: {},
      allowedModels: [],
      modelTokensPerDay: 100_000_000,
    })
  })

  test('reads the proxy and the authorities, and names what is wrong in one line', () => {
    const { proxy } = read({
      MILLRACE_EGRESS_PROXY: 'http://ada:p%40ss-word@proxy.example:3128',
      NO_PROXY: '.corp.example',
    }).network
    assert.equal(proxy?.url.href, 'http://proxy.example:3128/')
    assert.deepEqual(proxy?.secrets, ['p@ss-word', 'ada:p@ss-word'])
    assert.equal(proxy?.isDirect(new URL('https://wiki.corp.example')), true)
    for (const wrong of [
      'proxy.example:3128',
      'socks5://proxy:1',
      'http://a:canary%@proxy',
      'http://proxy/canary',
    ])
      assert.match(
        messageOf({ MILLRACE_EGRESS_PROXY: wrong }),
        /^MILLRACE_EGRESS_PROXY must be an http\(s\) address without a path(?!.*canary)/,
        wrong,
      )
    assert.equal(
      messageOf({ MILLRACE_EGRESS_PROXY: 'http://proxy', NO_PROXY: 'a.example,10.0.0.0/99' }),
      'NO_PROXY: "10.0.0.0/99" is no name, address or network',
    )
    // Other programs read NO_PROXY too.
    assert.equal(read({ NO_PROXY: '<local>' }).network.proxy, null)
    assert.equal(
      messageOf({ MILLRACE_CA_FILE: '/does/not/exist.pem' }),
      'MILLRACE_CA_FILE must be a file of certificates in PEM; /does/not/exist.pem does not exist',
    )
    assert.match(
      messageOf({ MILLRACE_CA_FILE: '/' }),
      /^MILLRACE_CA_FILE must be .*; \/ cannot be read \(EISDIR\)$/,
    )
    assert.match(messageOf({ MILLRACE_CA_FILE: import.meta.filename }), /BEGIN CERTIFICATE----- in it$/)
  })

  test('reads model endpoints, and names missing variables', () => {
    const { models } = read({
      MILLRACE_OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1/',
      MILLRACE_ANTHROPIC_API_KEY: 'sk-canary',
      MILLRACE_BEDROCK_REGION: 'eu-central-1',
      MILLRACE_BEDROCK_ACCESS_KEY_ID: 'AKIA',
      MILLRACE_BEDROCK_SECRET_ACCESS_KEY: 'canary',
    })
    assert.deepEqual(models.openai, {
      baseUrl: 'http://127.0.0.1:11434/v1',
      apiKey: null,
      model: 'gpt-4o-mini',
    })
    assert.equal(models.anthropic?.baseUrl, 'https://api.anthropic.com')
    assert.equal(models.bedrock?.baseUrl, 'https://bedrock-runtime.eu-central-1.amazonaws.com')
    assert.match(
      messageOf({ MILLRACE_AZURE_OPENAI_API_KEY: 'canary' }),
      /^MILLRACE_AZURE_OPENAI_ENDPOINT must be set if MILLRACE_AZURE_OPENAI_API_KEY is set$/,
    )
    assert.match(
      messageOf({ MILLRACE_BEDROCK_REGION: 'eu-central-1' }),
      /MILLRACE_BEDROCK_ACCESS_KEY_ID must be/,
    )
    const wrong = messageOf({ MILLRACE_OPENAI_BASE_URL: 'https://user:canary@models.example.com' })
    assert.match(wrong, /^MILLRACE_OPENAI_BASE_URL must be an http\(s\) address/)
    assert.doesNotMatch(wrong, /canary/)
  })

  test('removes variables that clients of vendors would read', () => {
    const env = { PATH: '/bin', MILLRACE_OPENAI_API_KEY: 'sk', OPENAI_BASE_URL: 'x', AWS_PROFILE: 'x' }
    assert.equal(read(env).models.openai?.apiKey, 'sk')
    assert.deepEqual(Object.keys(env), ['PATH', 'MILLRACE_OPENAI_API_KEY'])
  })

  test('treats an empty value as absent', () => {
    const names = ['PORT', 'HOST', 'DATABASE_URL', 'MILLRACE_DATA_DIR', 'MILLRACE_MASTER_KEY', 'LOG_LEVEL']
    assert.deepEqual(read(Object.fromEntries(names.map((name) => [name, '']))), read({}))
  })

  test('chooses the data directory by user', () => {
    assert.equal(readEnvironment({}, [], { uid: 0, home: '/root' }).dataDir, '/var/lib/millrace')
    assert.equal(read({ XDG_DATA_HOME: '/data' }).dataDir, '/data/millrace')
    assert.equal(read({ XDG_DATA_HOME: 'relative' }).dataDir, '/home/ada/.local/share/millrace')
    assert.equal(read({ MILLRACE_DATA_DIR: '/srv/mill' }).dataDir, '/srv/mill')
  })

  test('reads the variables that are set', () => {
    const environment = read({
      PORT: '0',
      HOST: '::',
      DATABASE_URL: 'postgresql:///millrace?host=/run/postgresql',
      MILLRACE_ALLOWED_HOSTS: ' Wiki.Example.com, *.lab:9200 ,[::1]:9200',
      MILLRACE_SETUP_EMAIL: 'ada@example.com',
      MILLRACE_SETUP_PASSWORD: 'correct horse',
      MILLRACE_SETUP_API_KEY: 'k'.repeat(32),
      MILLRACE_OIDC_ISSUER: 'https://id.example.com/realm',
      MILLRACE_OIDC_CLIENT_ID: 'millrace',
      MILLRACE_RATE_LIMIT: '60',
      MILLRACE_UPLOAD_JOBS: '3',
      MILLRACE_UPLOAD_QUOTA_MB: '20',
      MILLRACE_OUTPUT_QUOTA_MB: '10',
      MILLRACE_PERSON_RATE_LIMIT: '30',
      MILLRACE_PERSON_TOKEN_HOURS: '12',
      MILLRACE_AUDIT_DAYS: '30',
      MILLRACE_WORKSPACE_RATE_LIMIT: '70',
      MILLRACE_MAX_KEYS: '7',
      MILLRACE_MAX_WORKSPACES: '8',
      MILLRACE_METRICS_TOKEN: 'm'.repeat(16),
      MILLRACE_ALLOWED_MODELS: 'openai/gpt-4o*, */small,',
      MILLRACE_MODEL_TOKENS_PER_DAY: '20000000000',
      MILLRACE_PUBLIC_URL: 'https://Mill.example.com, http://mill:8080/',
      MILLRACE_DATABASE_CONNECTIONS: '20',
      MILLRACE_WORKER_CONCURRENCY: '5',
      MILLRACE_DRAIN_SECONDS: '0',
      MILLRACE_HEALTH_PORT: '9101',
      MILLRACE_LOG_FORMAT: 'text',
      MILLRACE_TRUSTED_PROXIES: '10.0.0.5, 192.168.0.0/16,fd00::/8',
      LOG_LEVEL: 'debug',
    })
    assert.equal(environment.port, 0)
    assert.equal(environment.host, '::')
    assert.equal(environment.allowedHosts.length, 3)
    assert.equal(environment.setupApiKey, 'k'.repeat(32))
    assert.deepEqual(environment.oidc, {
      issuer: 'https://id.example.com/realm',
      clientId: 'millrace',
      clientSecret: null,
    })
    assert.deepEqual([environment.rateLimit, environment.personRateLimit], [60, 30])
    assert.deepEqual([environment.personTokenHours, environment.auditDays], [12, 30])
    assert.deepEqual(
      [environment.workspaceRateLimit, environment.maxKeys, environment.maxWorkspaces],
      [70, 7, 8],
    )
    assert.equal(environment.metricsToken, 'm'.repeat(16))
    assert.deepEqual(environment.allowedModels, ['openai/gpt-4o*', '*/small'])
    assert.equal(environment.modelTokensPerDay, 20_000_000_000)
    const [uploadBytes, outputBytes] = [20 * 1024 ** 2, 10 * 1024 ** 2]
    assert.deepEqual(environment.uploadQuotas, { activeJobs: 3, uploadBytes, outputBytes })
    assert.deepEqual(environment.publicUrls.map(String), ['https://mill.example.com/', 'http://mill:8080/'])
    assert.deepEqual(
      [environment.databaseConnections, environment.workerConcurrency, environment.drainSeconds],
      [20, 5, 0],
    )
    assert.deepEqual([environment.healthPort, environment.logFormat], [9101, 'text'])
    assert.deepEqual([read({}).healthPort, read({}).logFormat], [null, null])
    assert.deepEqual(environment.trustedProxies, ['10.0.0.5', '192.168.0.0/16', 'fd00::/8'])
  })

  test('reads a master key in base64, base64url and hex', () => {
    const key = randomBytes(32)
    for (const form of ['base64', 'base64url', 'hex'] as const) {
      const { masterKeys } = read({ MILLRACE_MASTER_KEY: key.toString(form) })
      assert.deepEqual(masterKeys, [{ id: null, key }], form)
    }
  })

  test('reads several master keys, the current one first', () => {
    const [one, two] = [randomBytes(32), randomBytes(32)]
    const [b, a] = [`2026b:${two.toString('base64')}`, one.toString('hex')]
    const expected = (id: string | null) => [
      { id: '2026b', key: two },
      { id, key: one },
    ]
    assert.deepEqual(read({ MILLRACE_MASTER_KEY: `${b},a:${a}` }).masterKeys, expected('a'))
    assert.deepEqual(read({ MILLRACE_MASTER_KEY: `${b}, ${a}` }).masterKeys, expected(null))
  })

  test('refuses lists of master keys that are ambiguous', () => {
    const [a, b] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
    for (const [list, says] of [
      [`${b},a:${a}`, /an id before every key but the last/],
      [`a:${b},a:${a}`, /different ids/],
      [`b:${a},a:${a}`, /different ids and values/],
      [`b:${b},`, /id:key entries/],
      [`b :${b}`, /id:key entries/],
      [`b:${b.slice(1)}`, /id:key entries/],
    ] as const) {
      const message = messageOf({ MILLRACE_MASTER_KEY: list })
      assert.match(message, says)
      assert.ok(!message.includes(a) && !message.includes(b), message)
    }
  })

  test('prefers the flag over the variable', () => {
    assert.equal(read({ MILLRACE_ROLE: 'api' }).role, 'api')
    assert.equal(read({ MILLRACE_ROLE: 'api' }, ['--role', 'worker']).role, 'worker')
    assert.equal(read({}, ['--role=api']).role, 'api')
  })

  test('names the variable that is wrong', () => {
    assert.equal(messageOf({ PORT: '70000' }), 'PORT must be a whole number from 0 to 65535, not "70000"')
    assert.match(messageOf({ PORT: '80a' }), /^PORT must be .*"80a"$/)
    assert.match(messageOf({ PORT: '-1' }), /^PORT must be /)
    for (const wrong of ['gpt-4o', 'opnai/gpt-4o', 'openai/a b', 'openai/'])
      assert.match(messageOf({ MILLRACE_ALLOWED_MODELS: wrong }), /^MILLRACE_ALLOWED_MODELS must be patterns/)
    assert.doesNotMatch(messageOf({ MILLRACE_METRICS_TOKEN: 'canary' }), /canary/)
    assert.match(messageOf({ HOST: 'http://x' }), /^HOST must be an address or a host name/)
    assert.match(messageOf({ LOG_LEVEL: 'loud' }), /^LOG_LEVEL must be one of trace, /)
    assert.match(
      messageOf({ MILLRACE_ROLE: 'both' }),
      /^MILLRACE_ROLE must be one of all, api, worker, not "both"$/,
    )
    assert.equal(
      messageOf({ MILLRACE_HEALTH_PORT: 'off' }),
      'MILLRACE_HEALTH_PORT must be a whole number from 0 to 65535, not "off"',
    )
    assert.equal(
      messageOf({ MILLRACE_LOG_FORMAT: 'xml' }),
      'MILLRACE_LOG_FORMAT must be json or text, not "xml"',
    )
    assert.match(messageOf({ MILLRACE_RATE_LIMIT: '0' }), /^MILLRACE_RATE_LIMIT must be /)
    assert.match(
      messageOf({ MILLRACE_DATABASE_CONNECTIONS: '2' }),
      /^MILLRACE_DATABASE_CONNECTIONS must be a whole number from 5 to 1000, not "2"$/,
    )
    assert.equal(
      messageOf({ MILLRACE_SAMPLE_WIKI: 'no' }),
      'MILLRACE_SAMPLE_WIKI must be on or off, not "no"',
    )
    assert.equal(read({ MILLRACE_SAMPLE_WIKI: 'off' }).sampleSource, false)
    assert.equal(messageOf({ MILLRACE_SANDBOX: 'no' }), 'MILLRACE_SANDBOX must be on or off, not "no"')
    assert.equal(read({ MILLRACE_SANDBOX: 'off' }).sandbox, false)
    assert.match(
      messageOf({ MILLRACE_ALLOWED_HOSTS: 'ok.example, https://x.example' }),
      /^MILLRACE_ALLOWED_HOSTS: /,
    )
    assert.match(
      messageOf({ MILLRACE_OIDC_ISSUER: 'id', MILLRACE_OIDC_CLIENT_ID: 'x' }),
      /^MILLRACE_OIDC_ISSUER /,
    )
  })

  test('trusts addresses and networks, but neither names nor all addresses', () => {
    for (const wrong of [
      'proxy.example',
      '10.0.0.0/33',
      '0.0.0.0/0',
      '::/0',
      '10.0.0.1,',
      'fe80::1%eth0',
      '1',
    ])
      assert.match(
        messageOf({ MILLRACE_TRUSTED_PROXIES: wrong }),
        /^MILLRACE_TRUSTED_PROXIES must be addresses .*, not "/,
        wrong,
      )
  })

  test('takes public addresses, with a path too', () => {
    const { publicUrls } = read({ MILLRACE_PUBLIC_URL: 'https://a.example/millrace/, http://b:8080' })
    assert.deepEqual(publicUrls.map(String), ['https://a.example/millrace/', 'http://b:8080/'])
    for (const wrong of [
      'mill.example.com',
      'https://mill.example.com/x?y',
      'https://mill.example.com/x;y',
      'https://a.example/x, https://a.example/y',
      'ftp://mill',
      'https://a.example,',
    ])
      assert.match(
        messageOf({ MILLRACE_PUBLIC_URL: wrong }),
        /^MILLRACE_PUBLIC_URL must be addresses .*, not "/,
        wrong,
      )
  })

  test('applies the password rule to the first password', () => {
    const setup = (password: string) => ({
      MILLRACE_SETUP_EMAIL: 'ada@example.com',
      MILLRACE_SETUP_PASSWORD: password,
    })
    for (const wrong of ['eleven char', 'x'.repeat(129)])
      assert.equal(messageOf(setup(wrong)), 'MILLRACE_SETUP_PASSWORD must be 12 to 128 characters long')
    assert.deepEqual(read(setup('twelve chars')).setup?.password, 'twelve chars')
  })

  test('names a missing variable that another requires', () => {
    assert.match(
      messageOf({ MILLRACE_SETUP_EMAIL: 'a@b.example' }),
      /^MILLRACE_SETUP_PASSWORD must be set if/,
    )
    assert.match(messageOf({ MILLRACE_OIDC_CLIENT_SECRET: 'x' }), /^MILLRACE_OIDC_ISSUER must be set if/)
  })

  test('names every wrong variable in one line', () => {
    assert.match(messageOf({ PORT: 'x', LOG_LEVEL: 'y' }), /PORT must be .*; LOG_LEVEL must be /)
  })

  test('reads a secret from a file', (context) => {
    const file = join(mkdtempSync(join(tmpdir(), 'secret-')), 'password')
    context.after(() => rmSync(dirname(file), { recursive: true }))
    writeFileSync(file, 'twelve chars\n')
    const setup = { MILLRACE_SETUP_EMAIL: 'ada@example.com', MILLRACE_SETUP_PASSWORD_FILE: file }
    assert.equal(read(setup).setup?.password, 'twelve chars')
    assert.equal(
      messageOf({ ...setup, MILLRACE_SETUP_PASSWORD: 'twelve chars' }),
      'set either MILLRACE_SETUP_PASSWORD or MILLRACE_SETUP_PASSWORD_FILE',
    )
    assert.equal(
      messageOf({ DATABASE_URL_FILE: '/missing' }),
      'the file of DATABASE_URL_FILE cannot be read (ENOENT)',
    )
    writeFileSync(file, '\n')
    assert.equal(messageOf(setup), 'the file of MILLRACE_SETUP_PASSWORD_FILE is empty')
  })

  test('never shows a secret', () => {
    const canary = 'Canary-Value'
    for (const name of [
      'MILLRACE_MASTER_KEY',
      'DATABASE_URL',
      'MILLRACE_SETUP_API_KEY',
      'MILLRACE_OIDC_CLIENT_SECRET',
    ]) {
      assert.doesNotMatch(messageOf({ [name]: canary }), /canary/i, name)
    }
    assert.doesNotMatch(messageOf({ MILLRACE_SETUP_PASSWORD: 'Canary' }), /canary/i)
  })

  test('refuses unknown arguments', () => {
    assert.match(messageOf({}, ['--rol', 'api']), /'--rol'; the only option is --role all\|api\|worker$/)
    assert.match(messageOf({}, ['api']), /'api'/)
    assert.match(messageOf({}, ['--role']), /--role/)
  })
})
