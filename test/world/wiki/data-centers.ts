import { startWiki, type Wiki, type WikiOptions } from './start.ts'

/** Two Data Centers with the same group names, but other members and context paths. */
export function startDataCenters(options: WikiOptions = {}): Promise<[Wiki, Wiki]> {
  const start = (seed: number, dcContext: string) =>
    startWiki({ ...options, seed, settings: { ...options.settings, dcContext } })
  return Promise.all([start(21, '/confluence'), start(22, '/docs')])
}
