/**
 * Vendors' clients take up what other programs on the machine are configured with: headers that go over ours
 * (OPENAI_CUSTOM_HEADERS), another address (OPENAI_BASE_URL, AWS_ENDPOINT_URL), another way to sign in
 * (AWS_BEARER_TOKEN_BEDROCK), or the log of every request. Not all of it can be overruled by what a client is given,
 * so none of it is there when they are made.
 */
export function forgetVendorVariables(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(env)) if (VENDORS.test(name)) delete env[name]
}

const VENDORS = /^(?:OPENAI|AZURE_OPENAI|ANTHROPIC|AWS|CO|COHERE|VOYAGE|VOYAGEAI|TOGETHER)_/i
