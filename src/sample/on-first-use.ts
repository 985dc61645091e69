import type { Duplex } from 'node:stream'
import type { SampleWiki } from './serve.ts'

/** Loads the sample wiki on the first connection. */
export function sampleOnFirstUse(origin: string): { connect(): Promise<Duplex>; close(): Promise<void> } {
  let opening: Promise<SampleWiki> | undefined
  return {
    async connect() {
      opening ??= import('./serve.ts').then(({ openSampleWiki }) => openSampleWiki(origin))
      return (await opening).connect()
    },
    async close() {
      const opened = await opening
      opened?.close()
    },
  }
}
