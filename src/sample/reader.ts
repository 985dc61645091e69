/** The account that reads the sample wiki. Its token opens only invented pages in this process. */
export const sampleReader = {
  username: 'reader@fernhill.example',
  token: 'the-sample-wiki-is-invented-and-so-is-this',
}

/** The settings of the sample source, without its URL. */
export const sampleSource = {
  type: 'wiki',
  name: 'Sample wiki',
  settings: { cloud: true, ...sampleReader },
} as const
