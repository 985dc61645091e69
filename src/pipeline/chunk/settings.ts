/** Characters are UTF-16 code units, like `length`, so a text never exceeds a limit in code points either. */
export type CharacterSettings = {
  max_characters: number
  /** A chunk longer than this takes no further element. */
  new_after_n_chars: number
  /** How much of a part's end the next part repeats, for a split element. */
  overlap: number
  /** Whether chunks that were not split overlap too. */
  overlap_all: boolean
  include_orig_elements: boolean
  /** Fewer than usual if each chunk gets a long vector. */
  max_chunks?: number
}

export type TitleSettings = CharacterSettings & {
  /** A section shorter than this joins the next one. */
  combine_text_under_n_chars: number
  /** Whether a section may continue on the next page. */
  multipage_sections: boolean
}

export type SimilaritySettings = CharacterSettings & {
  /** A lower cosine between neighbours starts a new chunk. */
  similarity_threshold: number
}

export const SIMILARITY_THRESHOLD = 0.5

/** 1,000 characters fit the default embedder's 256 tokens in most languages. */
export const CHUNK_DEFAULTS: TitleSettings = {
  max_characters: 1000,
  new_after_n_chars: 800,
  overlap: 0,
  overlap_all: false,
  include_orig_elements: false,
  combine_text_under_n_chars: 300,
  multipage_sections: false,
}
