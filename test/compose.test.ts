import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'

type Service = {
  image: string
  command?: string[]
  read_only?: boolean
  environment?: Record<string, string>
  secrets?: string[]
}

const ops = join(import.meta.dirname, '../ops')
const images = parseEnv(readFileSync(join(ops, 'images.env'), 'utf8'))
const compose = parse(readFileSync(join(ops, 'compose.yaml'), 'utf8'), { merge: true })
const services = Object.entries(compose.services as Record<string, Service>)
const ours = services.filter(([, { image }]) => image === `\${MILLRACE_IMAGE}`)

test('the images of the compose file have names in one file, and no tag that moves', () => {
  for (const [name, { image }] of services) {
    const variable = /^\$\{(\w+)\}$/.exec(image)?.[1] ?? ''
    assert.match(images[variable] ?? '', /:\d+[.\d]*(-\w+)?$/, name)
  }
})

test('the processes of the compose file are commands of the image, on a read-only root, with secrets from files', () => {
  assert.deepEqual(
    ours.map(([, { command }]) => command?.join(' ')),
    ['migrate', 'start --role api', 'start --role worker'],
  )
  for (const [name, { read_only: isReadOnly, environment = {}, secrets = [] }] of ours) {
    assert.ok(isReadOnly, name)
    const given = Object.entries(environment).filter(([, value]) => value.startsWith('/run/secrets/'))
    assert.deepEqual(
      given.map(([, value]) => value.slice('/run/secrets/'.length)).sort(),
      [...secrets].sort(),
    )
    for (const [variable] of given) assert.match(variable, /_FILE$/)
    for (const secret of secrets) assert.ok(compose.secrets[secret], secret)
  }
})
