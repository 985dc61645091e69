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

  async function built(name: string): Promise<string> {
    const made = await mkdtemp(join(root, 'made-'))
    await mkdir(join(made, 'assets'))
    await writeFile(join(made, 'assets', `${name}.js`), name)
    await writeFile(join(made, 'index.html'), `assets/${name}.js`)
    return made
  }

  test('never serves a page with missing assets during concurrent builds', async () => {
    await publish(await built('first'), dist)
    const builds = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(built))
    let running = true
    const reader = (async () => {
      let seen = 0
      while (running) {
        const named = await readFile(join(dist, 'index.html'), 'utf8')
        assert.ok(await readFile(join(dist, named), 'utf8'))
        seen++
      }
      return seen
    })()
    await Promise.all(builds.map((made) => publish(made, dist)))
    running = false
    assert.ok((await reader) > 0)
  })

  test('keeps assets for a day, then removes them', async () => {
    const longAgo = new Date(Date.now() - 48 * 60 * 60 * 1000)
    await utimes(join(dist, 'assets/first.js'), longAgo, longAgo)
    await publish(await built('last'), dist)
    const left = await readdir(join(dist, 'assets'))
    assert.ok(left.includes('last.js') && left.includes('a.js'), left.join())
    assert.ok(!left.includes('first.js'), left.join())
  })
})
