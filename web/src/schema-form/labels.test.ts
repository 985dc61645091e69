import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withLabels } from './labels.ts'

const labels = { url: 'Address of the wiki', hosts: 'Hosts', max_characters: 'Maximum characters' }

const cases: [message: string, path: string, shown: string][] = [
  ['Url is not an address.', 'config.url', 'Address of the wiki is not an address.'],
  ['Config.url is missing.', 'config.url', 'Address of the wiki is missing.'],
  ['Hosts.1 is not an address.', 'config.hosts.1', 'Hosts is not an address.'],
  ['Hosts: enter one.', 'config.hosts', 'Hosts: enter one.'],
  ['This address cannot be used.', 'config.url', 'This address cannot be used.'],
  [
    'Overlap has to be less than max_characters.',
    'workflow_nodes.1.settings.overlap',
    'Overlap has to be less than Maximum characters.',
  ],
  ['Schedule_timezone should be text.', 'schedule_timezone', 'Schedule timezone should be text.'],
]

for (const [message, path, shown] of cases)
  test(`it shows “${shown}”`, () => assert.equal(withLabels(message, path, labels), shown))
