import type { Element } from '../../document.ts'
import { chunkByCharacter, chunkByPage, chunkByTitle, chunkWhere } from './chunk.ts'
import type { CharacterSettings, SimilaritySettings, TitleSettings } from './settings.ts'

export type ChunkSettings =
  | ({ subtype: 'chunk_by_title' } & TitleSettings)
  | ({ subtype: 'chunk_by_character' | 'chunk_by_page' } & CharacterSettings)
  | ({ subtype: 'chunk_by_similarity' } & SimilaritySettings)

/** `starts`: for chunks by similarity, the positions of elements that start a chunk. */
export type ChunkRequest = { settings: ChunkSettings; starts: readonly number[] }

/** Pure: equal elements and settings give equal chunks. Blocks the process. */
export function chunkElements(elements: Element[], { settings, starts }: ChunkRequest): Element[] {
  switch (settings.subtype) {
    case 'chunk_by_title':
      return chunkByTitle(elements, settings)
    case 'chunk_by_character':
      return chunkByCharacter(elements, settings)
    case 'chunk_by_page':
      return chunkByPage(elements, settings)
    case 'chunk_by_similarity': {
      const starting = new Set(starts.map((at) => elements[at]))
      return chunkWhere(elements, settings, (element) => starting.has(element))
    }
  }
}
