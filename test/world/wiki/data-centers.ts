import { startWiki, type Wiki, type WikiOptions } from './start.ts'

/** Two Data Centers with the same group names, other people in them, and other context paths. */
export function startDataCenters(options: WikiOptions = {}): Promise<[Wiki, Wiki]> {
  const start = (seed: number, dcContext: string) =>
    startWiki({ ...options, seed, settings: { ...options.settings, dcContext } })
  return Promise.all([start(21, '/confluence'), start(22, '/docs')])
}
