/**
 * The vendors' clients read headers (OPENAI_CUSTOM_HEADERS), addresses (AWS_ENDPOINT_URL) and tokens
 * (AWS_BEARER_TOKEN_BEDROCK) from the environment. Their options cannot override all of them.
 */
export function removeVendorVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (VENDORS.test(name)) delete env[name]
}

const VENDORS = /^(?:OPENAI|AZURE_OPENAI|ANTHROPIC|AWS|CO|COHERE|VOYAGE|VOYAGEAI|TOGETHER)_/i
