import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingIn } from './setting-in.ts'

test('a setting is found without the punctuation after it', () => {
  const found = (text: string) => settingIn(`allow it with ${text}`)
  assert.equal(
    found('MILLRACE_ALLOWED_HOSTS=wiki.corp.example:8443.'),
    'MILLRACE_ALLOWED_HOSTS=wiki.corp.example:8443',
  )
  assert.equal(found('MILLRACE_ALLOWED_HOSTS=[fd00::7]:9200; or'), 'MILLRACE_ALLOWED_HOSTS=[fd00::7]:9200')
  assert.equal(found('MILLRACE_ALLOWED_HOSTS'), undefined)
})
