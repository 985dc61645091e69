/** The account that reads the sample wiki. Its token opens only invented pages in this process. */
export const sampleReader = {
  username: 'reader@fernhill.example',
  token: 'the-sample-wiki-is-invented-and-so-is-this',
}
