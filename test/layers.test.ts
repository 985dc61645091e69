import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { z } from 'zod'
import { localConnectors, serviceConnectors } from '../src/connectors/registry.ts'
import { importCycles, importsOf, namesConnectors, type SourceFile, violations } from './layers.ts'

const root = new URL('..', import.meta.url)
const files: SourceFile[] = globSync('src/**/*.ts', { cwd: root }).map((path) => ({
  path: path.replaceAll('\\', '/'),
  text: readFileSync(new URL(path, root), 'utf8'),
}))

/** The names of all settings of all connectors. */
const settings = new Set(
  [serviceConnectors, localConnectors]
    .flatMap(({ sources, destinations }) => [...sources, ...destinations])
    .flatMap(({ schema, fieldAliases }) => [
      ...Object.keys(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).properties ?? {}),
      ...Object.keys(fieldAliases),
    ]),
)

describe('the direction of imports', () => {
  test('it holds for every file of src', () => {
    assert.ok(files.length > 10, 'the files were found')
    assert.deepEqual(violations(files, settings), [])
  })

  const page = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).map((path) => ({
    path: path.replaceAll('\\', '/'),
    text: readFileSync(new URL(path, root), 'utf8'),
  }))

  test('it holds for the page: no file names a connector', () => {
    assert.ok(page.length > 10, 'the files were found')
    const names = new Set(['wiki', 'searchindex', 'confluence', 'elasticsearch', 'opensearch'])
    assert.deepEqual(
      page.flatMap((file) => namesConnectors(file, names)),
      [],
    )
  })

  test('it keeps the kit free of the systems that connectors reach', () => {
    const kit = files.filter(({ path }) => path.startsWith('src/connectors/kit/'))
    assert.ok(kit.length > 10, 'the files were found')
    const names = new Set(['confluence', 'atlassian', 'postgres', 'elasticsearch', 'opensearch', 'jira'])
    assert.deepEqual(
      kit.flatMap((file) => namesConnectors(file, names)),
      [],
    )
  })

  test('it takes the types of the page from the generated client', () => {
    const used = page
      .filter(({ path }) => !path.includes('.test.'))
      .flatMap((file) => importsOf(file).filter((target) => target.startsWith('src/')))
    assert.deepEqual(used, [])
  })

  test('it does not load what a source needs before the first one is opened', () => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const loaded = new Set<string>()
    const load = (path: string) => {
      const file = byPath.get(path)
      if (!file || loaded.has(path)) return
      loaded.add(path)
      for (const each of importsOf(file, { staticOnly: true })) load(each)
    }
    load('src/main.ts')
    for (const name of ['wiki', 'sample']) {
      assert.ok(loaded.has(`src/connectors/${name}/type.ts`), `the walk reaches ${name}`)
      assert.ok(!loaded.has(`src/connectors/${name}/source.ts`), name)
    }
  })

  test('it keeps the simulated wiki free of the code that it tests', () => {
    const simulated = globSync('test/world/wiki/**/*.ts', { cwd: root }).map((path) => ({
      path: path.replaceAll('\\', '/'),
      text: readFileSync(new URL(path, root), 'utf8'),
    }))
    assert.ok(simulated.length > 100, 'the files were found')
    const used = simulated.flatMap((file) => importsOf(file).filter((target) => target.startsWith('src/')))
    assert.deepEqual(used, [])
  })

  const wrong: [string, string, RegExp][] = [
    ['src/errors.ts', "import { x } from './connectors/source.ts'", /leaf may not use connectors/],
    ['src/ingest/slice.ts', "import type { Job } from '../jobs/jobs.ts'", /ingest may not use jobs/],
    ['src/ingest/slice.ts', "import {\n  a,\n} from '../store/documents.ts'", /ingest may not use store/],
    ['src/store/jobs/jobs.ts', "import '../../jobs/slices.ts'", /store may not use jobs/],
    ['src/jobs/slices.ts', "await import('../workflows/start.ts')", /jobs may not use workflows/],
    ['src/workflows/start.ts', "export { x } from '../api/server.ts'", /workflows may not use api/],
    ['src/pipeline/chunk/by-title.ts', "import { x } from '../../ingest/slice.ts'", /pipeline may not use/],
    [
      'src/connectors/wiki/source.ts',
      "import { x } from '../searchindex/client.ts'",
      /never imports another/,
    ],
    ['src/connectors/wiki/source.ts', "import { x } from '../registry.ts'", /does not know the others/],
    ['src/connectors/kit/pacing.ts', "import { x } from '../wiki/client.ts'", /only the registry/],
    [
      'src/connectors/kit/pacing.ts',
      "import { x } from '../describe.ts'",
      /the contract and the egress alone/,
    ],
    ['src/connectors/kit/pacing.ts', '// As postgres does.', /pacing\.ts:1 names the connector postgres/],
    ['src/connectors/wiki/access/tree.ts', "import { x } from '../listing/refs.ts'", /listing uses access/],
    ['src/api/server.ts', "import { wiki } from '../connectors/wiki/config.ts'", /only the registry/],
    ['src/cli/main.ts', "import { x } from '../store/database.ts'", /cli may not use store/],
    ['src/jobs/slices.ts', "import { x } from '../main.ts'", /jobs may not use top/],
    ['src/api/server.ts', "import { x } from '../../test/world/wiki.ts'", /nothing outside itself/],
    ['src/api/server.ts', "import { x } from '../../demo/demo.ts'", /nothing outside itself/],
    ['src/other/new.ts', "import { x } from '../errors.ts'", /no place among the layers/],
    ['src/api/server.ts', 'const port = process.env.PORT', /reads process.env/],
    ['src/api/server.ts', "import { env } from 'node:process'", /reads process.env/],
    ['src/api/server.ts', 'const { env } = process', /reads process.env/],
    ['src/jobs/slices.ts', '// Waits for the wiki.', /slices\.ts:1 names the connector wiki/],
    [
      'src/api/server.ts',
      "const type = 'x'\nconst SearchIndexes = 1",
      /server\.ts:2 names the connector sear/,
    ],
    ['src/api/server.ts', "const TYPE = 'postgres'", /names the connector postgres/],
    ['src/jobs/swap.ts', 'const name = config.index_name', /knows the setting config\.index_name/],
    ['src/store/swap.ts', "sql`c.config->>'index_name'`", /knows the setting config->>'index_name'/],
    ['src/jobs/swap.ts', 'function f({ hosts }: Record<string, unknown>) {}', /knows the setting/],
    ['src/jobs/swap.ts', 'const { cloud } = row.config', /knows the setting/],
    ['src/pipeline/x.ts', "'set extract_images'", /knows the setting extract_images/],
    ['src/api/utils.ts', '', /"utils" says nothing/],
    ['src/store/job-manager.ts', '', /"manager" says nothing/],
    ['src/common/dates.ts', '', /"common" says nothing/],
  ]
  const some = ['wiki', 'searchindex', 'postgres', 'sample'].map((name) => ({
    path: `src/connectors/${name}/config.ts`,
    text: '',
  }))
  for (const [path, text, expected] of wrong) {
    test(`it refuses ${path} with ${text ? JSON.stringify(text) : 'that name'}`, () => {
      const all = violations([...some, { path, text }], settings)
      const found = all.filter(
        (violation) => expected.test(violation) || !violation.includes('names the connector'),
      )
      assert.equal(found.length, 1, found.join('\n'))
      assert.match(found[0]!, expected)
    })
  }

  test('it allows imports in the right direction', () => {
    const right: SourceFile[] = [
      { path: 'src/connectors/registry.ts', text: "import { wiki } from './wiki/config.ts'" },
      { path: 'src/connectors/wiki/source.ts', text: "import type { Source } from '../source.ts'" },
      { path: 'src/connectors/wiki/client.ts', text: "import { x } from '../egress/guard.ts'" },
      { path: 'src/connectors/wiki/client.ts', text: "import { retry } from '../kit/retries.ts'" },
      { path: 'src/connectors/kit/pacing.ts', text: "import type { SharedPace } from '../type.ts'" },
      { path: 'src/ingest/slice.ts', text: "import { AppError } from '../errors.ts'" },
      { path: 'src/jobs/slices.ts', text: "import { processSlice } from '../ingest/slice.ts'" },
      { path: 'src/api/server.ts', text: "// process.env is not for us\nimport fastify from 'fastify'" },
      { path: 'src/api/server.test.ts', text: "import { x } from '../../test/world/wiki.ts'" },
      { path: 'src/main.ts', text: "import { readEnvironment } from './environment.ts'" },
      { path: 'src/environment.ts', text: 'export const x = process.env' },
      { path: 'src/environment.ts', text: '/** MILLRACE_SAMPLE_WIKI opens the sample wiki. */' },
      { path: 'src/errors.ts', text: "const code = 'source_not_a_wiki'" },
      { path: 'src/store/embedded/home.ts', text: "const path = join(dataDir, 'postgres')" },
      { path: 'src/store/ledgers.ts', text: 'select index_name from ledgers' },
      { path: 'src/cli/commands/audit.ts', text: "const flag = 'sample' // of a folder" },
    ]
    assert.deepEqual(violations([...some, ...right], settings), [])
  })
})

describe('import cycles', () => {
  for (const folder of ['src', 'web/src'])
    test(`it finds none in ${folder}`, () => {
      const all = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).map((path) => ({
        path: path.replaceAll('\\', '/'),
        text: readFileSync(new URL(path, root), 'utf8'),
      }))
      assert.ok(all.length > 10, 'the files were found')
      assert.deepEqual(importCycles(all), [])
    })

  test('it finds groups of files that import each other, types included', () => {
    const cyclic = [
      { path: 'src/a.ts', text: "import type { B } from './b.ts'" },
      { path: 'src/b.ts', text: "import { c } from './c.ts'" },
      { path: 'src/c.ts', text: "const a = await import('./a.ts')" },
      { path: 'src/d.ts', text: "import { a } from './a.ts'" },
      { path: 'src/a.test.ts', text: "import { a } from './a.ts'" },
    ]
    assert.deepEqual(importCycles(cyclic), ['src/a.ts src/b.ts src/c.ts'])
  })
})
