import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { publish } from './publish.ts'

describe('publishing a build', () => {
  let root: string
  let dist: string
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'millrace-publish-'))
    dist = join(root, 'dist')
  })
  after(() => rm(root, { recursive: true }))

  async function createBuild(name: string): Promise<string> {
    const directory = await mkdtemp(join(root, 'build-'))
    await mkdir(join(directory, 'assets'))
    await writeFile(join(directory, 'assets', `${name}.js`), name)
    await writeFile(join(directory, 'index.en.html'), `assets/${name}.js`)
    return directory
  }

  test('never serves a page with missing assets during concurrent builds', async () => {
    await publish(await createBuild('first'), dist)
    const builds = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(createBuild))
    let running = true
    const reader = (async () => {
      let reads = 0
      while (running) {
        const asset = await readFile(join(dist, 'index.en.html'), 'utf8')
        assert.ok(await readFile(join(dist, asset), 'utf8'))
        reads++
      }
      return reads
    })()
    await Promise.all(builds.map((directory) => publish(directory, dist)))
    running = false
    assert.ok((await reader) > 0)
  })

  test('keeps assets for a day, then removes them', async () => {
    const longAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)
    await utimes(join(dist, 'assets/first.js'), longAgo, longAgo)
    await publish(await createBuild('last'), dist)
    const remaining = await readdir(join(dist, 'assets'))
    assert.ok(remaining.includes('last.js') && remaining.includes('a.js'), remaining.join())
    assert.ok(!remaining.includes('first.js'), remaining.join())
  })
})
