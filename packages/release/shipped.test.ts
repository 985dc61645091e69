import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { root } from '../build/package-folder.ts'
import { isAllowed, licenceFile, licenceProblems } from './licences.ts'
import { type Contents, sbomOf } from './sbom.ts'
import { type Lockfile, readLockfile, shippedPackages, shippedRoots } from './shipped.ts'

const LOCKFILE: Lockfile = {
  packages: {
    '': { dependencies: { a: '1.0.0' } },
    'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { b: '^2.0.0', '@s/c': '1' } },
    'node_modules/a/node_modules/b': { version: '2.0.0', license: 'ISC', dependencies: { '@s/c': '1' } },
    'node_modules/b': { version: '1.0.0', license: 'GPL-3.0-only' },
    'node_modules/@s/c': {
      version: '1.0.0',
      license: 'MIT',
      integrity: 'sha512-AQID',
      peerDependencies: { none: '1' },
    },
    'node_modules/unused': { version: '1.0.0', license: 'AGPL-3.0-only' },
  },
}

const NONE: Contents = { packages: new Map(), own: [] }

describe('the packages that a release ships', () => {
  const shipped = shippedPackages(LOCKFILE, ['a'])

  test('it follows dependencies to the installed version', () => {
    assert.deepEqual(
      shipped.map(({ path, version }) => [path, version]),
      [
        ['node_modules/@s/c', '1.0.0'],
        ['node_modules/a', '1.0.0'],
        ['node_modules/a/node_modules/b', '2.0.0'],
      ],
    )
  })

  test('it includes what is built into the page and no development tool', () => {
    const lockfile = readLockfile()
    const names = new Set(shippedPackages(lockfile, shippedRoots(lockfile)).map(({ name }) => name))
    for (const name of [
      'react',
      '@mantine/core',
      '@fontsource-variable/inter',
      'fastify',
      'onnxruntime-node',
    ])
      assert.ok(names.has(name), name)
    for (const name of ['vite', 'typescript', '@biomejs/biome', 'playwright-core', 'fast-check'])
      assert.ok(!names.has(name), name)
  })
})

describe('the licences', () => {
  test('it allows every package of the lock file', () => {
    const lockfile = readLockfile()
    assert.deepEqual(licenceProblems(shippedPackages(lockfile, shippedRoots(lockfile))), [])
  })

  test('it refuses forbidden, unknown and missing licences', () => {
    const roots = ['b', 'unused', 'missing', 'unnamed']
    const packages = {
      ...LOCKFILE.packages,
      'node_modules/missing': { version: '1.0.0' },
      'node_modules/unnamed': { version: '1.0.0', license: 'SEE LICENSE IN LICENSE' },
    }
    assert.deepEqual(licenceProblems(shippedPackages({ packages }, roots)), [
      'b@1.0.0: GPL-3.0-only (node_modules/b)',
      'missing@1.0.0: no licence (node_modules/missing)',
      'unnamed@1.0.0: SEE LICENSE IN LICENSE (node_modules/unnamed)',
      'unused@1.0.0: AGPL-3.0-only (node_modules/unused)',
    ])
  })

  const expressions: [string, boolean][] = [
    ['MIT', true],
    ['(MIT OR GPL-3.0-or-later)', true],
    ['(MIT AND Zlib)', true],
    ['MIT AND GPL-3.0-only', false],
    ['GPL-2.0-only OR AGPL-3.0-only', false],
    ['(MIT OR ISC) AND GPL-3.0-only', false],
    ['LGPL-3.0-or-later', false],
    ['UNLICENSED', false],
  ]
  for (const [expression, expected] of expressions)
    test(`it ${expected ? 'allows' : 'refuses'} ${expression}`, () => {
      assert.equal(isAllowed(expression), expected)
    })

  test('it prints the licence text of every package', () => {
    const lockfile = readLockfile()
    const text = licenceFile(shippedPackages(lockfile, ['fastify']), root)
    assert.match(text, /^fastify@\d+\.\d+\.\d+: MIT$/m)
    assert.match(text, /Copyright \(c\) \d{4}-present The Fastify/)
  })
})

describe('the bill of materials', () => {
  const product = { name: 'millrace', version: '1.2.0', license: 'Apache-2.0' }

  test('it names every package once with version, licence, checksum and dependencies', () => {
    const { components, dependencies, ...head } = sbomOf(product, shippedPackages(LOCKFILE, ['a']), NONE) as {
      specVersion: string
      components: { 'bom-ref': string; hashes?: object[] }[]
      dependencies: { ref: string; dependsOn: string[] }[]
    }
    assert.equal(head.specVersion, '1.6')
    assert.deepEqual(components[0], {
      type: 'library',
      'bom-ref': 'pkg:npm/%40s/c@1.0.0',
      ...{ name: '@s/c', version: '1.0.0', purl: 'pkg:npm/%40s/c@1.0.0' },
      licenses: [{ license: { name: 'MIT' } }],
      hashes: [{ alg: 'SHA-512', content: '010203' }],
    })
    const nested = 'pkg:npm/b@2.0.0#node_modules/a/node_modules/b'
    assert.deepEqual(dependencies, [
      { ref: 'pkg:npm/millrace@1.2.0', dependsOn: ['pkg:npm/%40s/c@1.0.0', 'pkg:npm/a@1.0.0'] },
      { ref: 'pkg:npm/%40s/c@1.0.0', dependsOn: [] },
      { ref: 'pkg:npm/a@1.0.0', dependsOn: [nested, 'pkg:npm/%40s/c@1.0.0'] },
      { ref: nested, dependsOn: ['pkg:npm/%40s/c@1.0.0'] },
    ])
  })

  test('it has unique references for the whole lock file', () => {
    const lockfile = readLockfile()
    const shipped = shippedPackages(lockfile, shippedRoots(lockfile))
    const { components } = sbomOf(product, shipped, NONE) as { components: { 'bom-ref': string }[] }
    assert.equal(new Set(components.map((each) => each['bom-ref'])).size, shipped.length)
  })
})
