/**
 * Vendor clients read settings of other programs from the environment: headers (OPENAI_CUSTOM_HEADERS),
 * addresses (AWS_ENDPOINT_URL), tokens (AWS_BEARER_TOKEN_BEDROCK). Client options cannot override all of
 * them, so they are removed.
 */
export function forgetVendorVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (VENDORS.test(name)) delete env[name]
}

const VENDORS = /^(?:OPENAI|AZURE_OPENAI|ANTHROPIC|AWS|CO|COHERE|VOYAGE|VOYAGEAI|TOGETHER)_/i
