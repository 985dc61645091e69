import { connect, createServer, type ListenOptions, type NetConnectOpts } from 'node:net'

/** Passes connections on, between a port of loopback and a socket file, which is visible in every namespace. */
const [from = '', to = ''] = process.argv.slice(2)

const server = createServer((incoming) => {
  const outgoing = connect(addressOf(to) as NetConnectOpts)
  incoming.pipe(outgoing).pipe(incoming)
  incoming.on('error', () => outgoing.destroy())
  outgoing.on('error', () => incoming.destroy())
})
server.listen(addressOf(from), () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : 0)
})
// Ends with the test.
process.stdin.on('end', () => process.exit()).resume()

function addressOf(text: string): ListenOptions {
  return text.startsWith('/') ? { path: text } : { host: '127.0.0.1', port: Number(text) }
}
