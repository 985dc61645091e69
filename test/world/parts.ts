import { contents, type Indexed } from './agreement.ts'
import { PLAIN_NODES } from './flow.ts'
import { pngFile } from './wiki/model/files.ts'
import type { World } from './world.ts'

/** Comments, files and pictures of pages, and their form in the index. */
export const textFile = (words: string, title = 'notes.txt', mediaType = 'text/plain') => ({
  title,
  mediaType,
  base64: Buffer.from(words).toString('base64'),
})

export const pictureFile = (seed: number, title = 'pic.png') => ({
  title,
  mediaType: 'image/png',
  base64: pngFile(seed).toString('base64'),
})

/** Chunks hold no pictures. */
export const PARTITION_NODES = PLAIN_NODES.slice(0, 1)

export const hasPicture = ({ _source }: Indexed) => _source.metadata.image_base64 !== undefined

/** Wherever an element has a picture. */
export async function pictures(world: World): Promise<Indexed[]> {
  return (await contents(world)).filter((each) => JSON.stringify(each).includes('image_base64'))
}
