/**
 * How elements are put together. "Characters" are what JavaScript's `length` counts (UTF-16 code units), so a
 * limit in characters is never exceeded by whoever counts code points.
 */
export type CharacterSettings = {
  /** No chunk is longer. */
  max_characters: number
  /** A chunk that is longer already takes no further element. */
  new_after_n_chars: number
  /** How much of a part's end begins the next part, where one element had to be split. */
  overlap: number
  /** The same between chunks that were not split. */
  overlap_all: boolean
  include_orig_elements: boolean
}

export type TitleSettings = CharacterSettings & {
  /** A section shorter than this takes in the next one. */
  combine_text_under_n_chars: number
  /** Whether a section may go on over the end of a page. */
  multipage_sections: boolean
}

export type SimilaritySettings = CharacterSettings & {
  /** Neighbours whose vectors have a cosine below this are kept apart. */
  similarity_threshold: number
}

export const SIMILARITY_THRESHOLD = 0.5

/** 1,000 characters of most languages are within the 256 tokens that the default embedder reads. */
export const CHUNK_DEFAULTS: TitleSettings = {
  max_characters: 1000,
  new_after_n_chars: 800,
  overlap: 0,
  overlap_all: false,
  include_orig_elements: false,
  combine_text_under_n_chars: 300,
  multipage_sections: false,
}
