import { createServer } from 'node:net'

type Door = { host: string; port: number }

/** Opens the port and closes it again, so that one that cannot be had is found before a database is made for it. */
export function probe({ host, port }: Door): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(port, host, () => server.close(() => resolve()))
  })
}

/** Why nobody can listen there, in one line that names the variable; undefined for what is not foreseen. */
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
