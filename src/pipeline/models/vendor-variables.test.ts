import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type ModelEndpoint, startModelEndpoint } from '../../../test/world/model-endpoint.ts'
import { remoteVectors } from '../embed/remote-vectors.ts'
import { readEndpoints } from './endpoints.ts'
import { type Models, openModels } from './models.ts'
import { removeVendorVariables } from './vendor-variables.ts'

const { signal } = new AbortController()
const FOREIGN = 'canary-of-another-program'
const HEADERS = `Authorization: Bearer ${FOREIGN}\nX-Api-Key: ${FOREIGN}\nApi-Key: ${FOREIGN}\nX-Foreign: ${FOREIGN}`
const elsewhere = `http://127.0.0.1:9/${FOREIGN}`
const VARIABLES = {
  OPENAI_CUSTOM_HEADERS: HEADERS,
  OPENAI_BASE_URL: elsewhere,
  OPENAI_API_KEY: FOREIGN,
  OPENAI_ADMIN_KEY: FOREIGN,
  OPENAI_ORG_ID: FOREIGN,
  OPENAI_PROJECT_ID: FOREIGN,
  OPENAI_API_VERSION: FOREIGN,
  AZURE_OPENAI_ENDPOINT: elsewhere,
  AZURE_OPENAI_API_KEY: FOREIGN,
  ANTHROPIC_CUSTOM_HEADERS: HEADERS,
  ANTHROPIC_BASE_URL: elsewhere,
  ANTHROPIC_API_KEY: FOREIGN,
  ANTHROPIC_AUTH_TOKEN: FOREIGN,
  AWS_ACCESS_KEY_ID: FOREIGN,
  AWS_SECRET_ACCESS_KEY: FOREIGN,
  AWS_SESSION_TOKEN: FOREIGN,
  AWS_BEARER_TOKEN_BEDROCK: FOREIGN,
  AWS_REGION: FOREIGN,
  AWS_PROFILE: FOREIGN,
  AWS_ENDPOINT_URL: elsewhere,
  AWS_ENDPOINT_URL_BEDROCK_RUNTIME: elsewhere,
  AWS_SDK_UA_APP_ID: FOREIGN,
  CO_API_KEY: FOREIGN,
  CO_API_URL: elsewhere,
  VOYAGE_API_KEY: FOREIGN,
}

describe('environment variables of other programs', () => {
  let server: ModelEndpoint
  let models: Models
  let setVariables: string[] = []
  before(async () => {
    server = await startModelEndpoint()
    const ownVariables = {
      ...Object.fromEntries(
        ['OPENAI', 'TOGETHER', 'VOYAGE', 'COHERE', 'ANTHROPIC'].flatMap((name) => [
          [`MILLRACE_${name}_BASE_URL`, server.url],
          [`MILLRACE_${name}_API_KEY`, 'sk-own'],
        ]),
      ),
      ...{ MILLRACE_AZURE_OPENAI_ENDPOINT: server.url, MILLRACE_AZURE_OPENAI_API_KEY: 'sk-own' },
      ...{ MILLRACE_BEDROCK_ENDPOINT: server.url, MILLRACE_BEDROCK_REGION: 'eu-central-1' },
      ...{ MILLRACE_BEDROCK_ACCESS_KEY_ID: 'AKIAOWN', MILLRACE_BEDROCK_SECRET_ACCESS_KEY: 'own' },
    }
    Object.assign(process.env, VARIABLES, ownVariables)
    setVariables = Object.keys({ ...VARIABLES, ...ownVariables })
    removeVendorVariables(process.env)
    models = openModels({ endpoints: readEndpoints(process.env), fetch })
  })
  after(async () => {
    for (const name of setVariables) delete process.env[name]
    await server.close()
  })

  const assertOwnSettings = () => {
    assert.equal(server.asked.length, 1)
    const [asked] = server.asked.splice(0)
    assert.doesNotMatch(JSON.stringify(asked), /canary/)
    assert.match(JSON.stringify(asked?.headers), /sk-own|AKIAOWN/)
  }

  for (const provider of ['openai', 'azure_openai', 'anthropic', 'bedrock'] as const) {
    test(`it calls ${provider} only with the operator’s settings`, async () => {
      await models.find({ provider, model: 'm' }).ask({ prompt: `Hello ${provider}` }, signal)
      assertOwnSettings()
    })
  }

  for (const [subtype, model] of [
    ['openai', 'text-embedding-3-small'],
    ['azure_openai', 'text-embedding-3-small'],
    ['togetherai', 'BAAI/bge-base-en-v1.5'],
    ['voyageai', 'voyage-3.5'],
    ['cohere', 'embed-v4.0'],
    ['bedrock', 'amazon.titan-embed-text-v2:0'],
  ] as const) {
    test(`it embeds with ${subtype} only with the operator’s settings`, async () => {
      await remoteVectors({ subtype, model }, models).embed(['Hello'], 'document', signal)
      assertOwnSettings()
    })
  }
})
