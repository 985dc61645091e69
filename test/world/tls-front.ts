import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createServer } from 'node:tls'

/** Terminates TLS on a port of loopback. The name in the handshake chooses certificate, key and port behind it. */
type Site = { name: string; key: string; certificate: string; port: number }
const [listen = '443', sitesFile = ''] = process.argv.slice(2)
const sites = JSON.parse(readFileSync(sitesFile, 'utf8')) as Site[]

const [first] = sites
const server = createServer({ key: first!.key, cert: first!.certificate }, (incoming) => {
  const site = sites.find(({ name }) => name === incoming.servername) ?? first!
  const outgoing = connect(site.port, '127.0.0.1')
  incoming.pipe(outgoing).pipe(incoming)
  incoming.on('error', () => outgoing.destroy())
  outgoing.on('error', () => incoming.destroy())
})
for (const { name, key, certificate } of sites) server.addContext(name, { key, cert: certificate })
server.listen(Number(listen), '127.0.0.1', () => console.log('ready'))
process.stdin.on('end', () => process.exit()).resume()
