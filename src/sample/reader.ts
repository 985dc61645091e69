/** Who reads the sample wiki for its source. The token opens invented pages inside this process, and nothing else. */
export const sampleReader = {
  username: 'reader@fernhill.example',
  token: 'the-sample-wiki-is-invented-and-so-is-this',
}
