import { createServer } from 'node:net'

type Door = { host: string; port: number }

/** Opens the port and closes it again, before a database is created. */
export function probe({ host, port }: Door): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

/** Names the variable to change; undefined for other errors. */
export function listeningProblem(error: unknown, { host, port }: Door): string | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `port ${port} is taken by another program; set PORT to another one`
    case 'EACCES':
      return `port ${port} may not be opened by this user; set PORT to one above 1023`
    case 'EADDRNOTAVAIL':
      return `${host} is not an address of this machine; set HOST to one that is, such as 127.0.0.1`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `the name ${host} is not known; set HOST to an address of this machine, such as 127.0.0.1`
    default:
      return undefined
  }
}
