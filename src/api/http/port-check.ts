import { createServer } from 'node:net'

/** `variable` names the port for the service operator. */
type Address = { host: string; port: number; variable?: string }

/** Opens the port and closes it again, before a database is created. */
export function checkPort({ host, port }: Address): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

/** Names the variable to change; undefined for other errors. */
export function portProblem(error: unknown, { host, port, variable = 'PORT' }: Address): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `another program uses port ${port}; set ${variable} to another one`
    case 'EACCES':
      return `this user may not open port ${port}; set ${variable} to one above 1023`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine; set HOST to one that is, such as 127.0.0.1`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} is unknown; set HOST to an address of this machine, such as 127.0.0.1`
    default:
      return undefined
  }
}
