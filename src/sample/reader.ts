/** Who reads the sample wiki for its source. The token opens invented pages inside this process, and nothing else. */
export const sampleReader = {
  username: 'reader@fernhill.example',
  token: 'the-sample-wiki-is-invented-and-so-is-this',
}

/** The source that is made of the sample, but for its address. */
export const sampleSource = {
  type: 'wiki',
  name: 'Sample wiki',
  settings: { cloud: true, ...sampleReader },
} as const
