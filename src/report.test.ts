import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingWarning } from './report.ts'

test('what is missing is summed up in one line that names one of them', () => {
  const message = 'cat.png: the wiki answers 404'
  assert.deepEqual(missingWarning({ code: 'images_missing', count: 5, documents: 3, message }), {
    code: 'images_missing',
    message: `5 images on 3 pages could not be taken along; the pages are whole without them. One of them: ${message}`,
    documents: 3,
  })
  assert.equal(
    missingWarning({ code: 'images_missing', count: 1, documents: 1, message }).message,
    `1 image on 1 page could not be taken along; the page is whole without it. ${message}`,
  )
  assert.equal(
    missingWarning({ code: 'constructor', count: 1200, documents: 1, message }).message,
    `1,200 parts of 1 document could not be taken along; the document is whole without them. One of them: ${message}`,
  )
})
