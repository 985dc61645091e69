import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { authorization, wikiSchema } from './config.ts'

const base = { url: 'https://acme.atlassian.net' }

function parse(config: Record<string, unknown>) {
  return wikiSchema.safeParse(config)
}
function fieldsOf(config: Record<string, unknown>) {
  const result = parse(config)
  if (result.success) return []
  return result.error.issues.map((issue) => issue.path[0])
}

describe('wikiSchema', () => {
  test('accepts username+token (API token)', () => {
    assert.ok(parse({ ...base, username: 'a', token: 't' }).success)
  })
  test('accepts token alone with cloud false (PAT)', () => {
    assert.ok(parse({ ...base, token: 't', cloud: false }).success)
  })
  test('accepts username+password', () => {
    assert.ok(parse({ ...base, username: 'a', password: 'p' }).success)
  })
  test('accepts cloud:true with username+token', () => {
    assert.ok(parse({ ...base, username: 'a', token: 't', cloud: true }).success)
  })
  test('refuses token alone with cloud:true, naming cloud', () => {
    assert.deepEqual(fieldsOf({ ...base, token: 't', cloud: true }), ['cloud'])
  })
  test('refuses nothing at all', () => {
    assert.deepEqual(fieldsOf({ ...base }), ['token'])
  })
  test('lists the sign-in modes for every wrong combination', () => {
    const wrong = [{}, { username: 'a' }, { password: 'p' }, { token: 't', cloud: true }]
    for (const mix of [
      ...wrong,
      { token: 't', password: 'p' },
      { username: 'a', token: 't', password: 'p' },
    ]) {
      const message = parse({ ...base, ...mix }).error?.issues[0]?.message ?? ''
      for (const mode of ['username and token', 'token alone', 'username and password']) {
        assert.ok(message.includes(mode), `${JSON.stringify(mix)}: ${message}`)
      }
    }
  })
  test('refuses username alone, naming token', () => {
    assert.deepEqual(fieldsOf({ ...base, username: 'a' }), ['token'])
  })
  test('refuses password alone, naming username', () => {
    assert.deepEqual(fieldsOf({ ...base, password: 'p' }), ['username'])
  })
  test('refuses token and password together, naming password', () => {
    assert.deepEqual(fieldsOf({ ...base, username: 'a', token: 't', password: 'p' }), ['password'])
  })
  test('null and empty string count as absent', () => {
    assert.ok(parse({ ...base, token: 't', username: null, cloud: false, password: '' }).success)
  })
  test('defaults are as documented', () => {
    const result = wikiSchema.parse({ ...base, username: 'a', token: 't' })
    assert.equal(result.max_num_of_spaces, 500)
    assert.equal(result.max_num_of_docs_from_each_space, 150)
    assert.deepEqual(result.spaces, [])
    assert.equal(result.extract_images, false)
    assert.equal(result.extract_files, false)
    assert.equal(result.max_image_bytes, 1_500_000)
    assert.equal(result.cloud, false)
  })
  test('accepts max_image_bytes up to five megabytes', () => {
    const signedIn = { ...base, username: 'a', token: 't' }
    assert.ok(parse({ ...signedIn, max_image_bytes: 5_000_000 }).success)
    for (const max_image_bytes of [0, 1.5, 5_000_001])
      assert.deepEqual(fieldsOf({ ...signedIn, max_image_bytes }), ['max_image_bytes'])
  })
  test('refuses a non-positive max_num_of_spaces, naming the field', () => {
    assert.deepEqual(fieldsOf({ ...base, username: 'a', token: 't', max_num_of_spaces: 0 }), [
      'max_num_of_spaces',
    ])
  })
  test('refuses a url with a query, naming url', () => {
    assert.deepEqual(fieldsOf({ url: 'https://acme.atlassian.net/?x=1', username: 'a', token: 't' }), ['url'])
  })
  test('refuses a url with credentials, naming url', () => {
    assert.deepEqual(fieldsOf({ url: 'https://a:b@acme.atlassian.net', username: 'a', token: 't' }), ['url'])
  })
  test('refuses a url that is a page, naming url', () => {
    assert.deepEqual(
      fieldsOf({ url: 'https://acme.atlassian.net/wiki/spaces/ENG/pages/1', username: 'a', token: 't' }),
      ['url'],
    )
  })
  test('refuses a ca_certificate that is too long or no certificate, naming it once', () => {
    const modes = { ...base, username: 'a', token: 't' }
    for (const ca_certificate of ['abc', '-----BEGIN CERTIFICATE-----'.repeat(36_000)])
      assert.deepEqual(fieldsOf({ ...modes, ca_certificate }), ['ca_certificate'])
  })
  test('refuses an unknown key', () => {
    assert.deepEqual(fieldsOf({ ...base, username: 'a', token: 't', extra: 1 }), [undefined])
  })
  test('refuses cql with archived pages, naming cql', () => {
    const both = { cql: 'label = kb', statuses: ['current', 'archived'] }
    assert.deepEqual(fieldsOf({ ...base, username: 'a', token: 't', ...both }), ['cql'])
  })
  test('refuses a status that is never read, and none at all, naming statuses', () => {
    for (const statuses of [['trashed'], []])
      assert.equal(fieldsOf({ ...base, username: 'a', token: 't', statuses })[0], 'statuses')
  })
  test('reads only pages by default', () => {
    const config = wikiSchema.parse({ ...base, username: 'a', token: 't' })
    const { extract_files, extract_images, include_blog_posts, include_comments } = config
    assert.deepEqual(
      [extract_files, extract_images, include_blog_posts, include_comments],
      Array(4).fill(false),
    )
    assert.deepEqual([config.statuses, config.include_labels, config.exclude_labels], [['current'], [], []])
  })
  test('spaces accepts null as none given', () => {
    const result = wikiSchema.parse({ ...base, username: 'a', token: 't', spaces: null })
    assert.deepEqual(result.spaces, [])
  })
})

describe('authorization', () => {
  test('is Bearer for a token without username', () => {
    const config = wikiSchema.parse({ ...base, token: 'xyz', cloud: false })
    assert.equal(authorization(config), 'Bearer xyz')
  })
  test('is Basic for username+token', () => {
    const config = wikiSchema.parse({ ...base, username: 'a', token: 't' })
    assert.equal(authorization(config), `Basic ${Buffer.from('a:t').toString('base64')}`)
  })
  test('is Basic for username+password', () => {
    const config = wikiSchema.parse({ ...base, username: 'a', password: 'p' })
    assert.equal(authorization(config), `Basic ${Buffer.from('a:p').toString('base64')}`)
  })
})
