import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Api, ApiResponse } from './api.ts'

const PATIENCE_MS = 150_000

export type PatientApi = Api & {
  /** How many answers were 503. */
  unavailable(): number
}

/** Repeats requests that the service answers with 503; any other server error fails the test. */
export function patientApi(api: Api): PatientApi {
  let unavailable = 0

  async function repeat<T>(call: () => Promise<ApiResponse<T>>): Promise<ApiResponse<T>> {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
      const answer = await call()
      if (answer.status < 500) return answer
      assert.equal(answer.status, 503, answer.text)
      assert.match(answer.text, /database of this service cannot be reached/)
      unavailable++
      assert.ok(Date.now() < end, `the service is still unavailable: ${answer.text}`)
    }
  }

  return {
    ...api,
    unavailable: () => unavailable,
    get: (path) => repeat(() => api.get(path)),
    post: (path, body) => repeat(() => api.post(path, body)),
    put: (path, body) => repeat(() => api.put(path, body)),
    delete: (path) => repeat(() => api.delete(path)),
  }
}
