import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { defaultModelName, findModel, isReadable, verifyModel } from './model.ts'

describe('a local model', () => {
  const model = findModel(defaultModelName)

  test('it matches its published hash', () => verifyModel(model))

  test('it names the known models for an unknown one', () => {
    assert.throws(() => findModel('ada-002'), { code: 'invalid_request', fix: /all-minilm-l6-v2/ })
    assert.throws(() => findModel('constructor'), { code: 'invalid_request' })
  })

  test('it names the path of a missing or truncated file', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-model-'))
    t.after(() => rm(folder, { recursive: true }))
    const modelPath = join(folder, 'model.onnx')
    await assert.rejects(verifyModel({ ...model, modelPath }), (error: Error) => {
      assert.ok(error.message.includes(modelPath))
      assert.match(error.message, /ENOENT/)
      return true
    })
    await writeFile(modelPath, 'version https://git-lfs.github.com/spec/v1')
    await assert.rejects(verifyModel({ ...model, modelPath }), {
      code: 'embedder_failed',
      message: `the embedding model ${modelPath} differs from the published file`,
    })
  })
})

test('it reads texts in Latin letters alone', () => {
  for (const text of ['the mill', 'Mühle größer', '2026 – 42', '', 'Kubernetes 배포'])
    assert.equal(isReadable(text), true, text)
  for (const text of ['备份', '서비스 배포 v2', 'ชำระเงิน', 'خدمة الدفع API', 'мельница'])
    assert.equal(isReadable(text), false, text)
})
