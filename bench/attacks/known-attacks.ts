import type { Attack } from './attacker.ts'

/** Small requests for much work. Each is bounded by itself, and the caller stops it after its time. */
export const KNOWN_ATTACKS: Attack[] = [
  {
    name: 'overlap as long as chunks',
    run: (attacker) =>
      attacker.partition(words(400_000), 'book.txt', {
        chunking_strategy: 'basic',
        max_characters: '100000',
        overlap: '99999',
        overlap_all: 'true',
      }),
  },
  {
    name: 'the largest overlap',
    run: (attacker) =>
      attacker.partition(words(2_000_000), 'book.txt', {
        chunking_strategy: 'basic',
        max_characters: '100000',
        overlap: '74000',
        overlap_all: 'true',
      }),
  },
  {
    name: 'chunks of two characters with vectors',
    run: (attacker) =>
      attacker.uploadJobs(2, {
        files: { 'book.txt': words(1_500_000) },
        nodes: [PARTITION, chunk({ max_characters: 2, new_after_n_chars: 2 }), EMBED],
      }),
  },
  {
    name: 'slow Markdown in all readers',
    run: (attacker) =>
      attacker.uploadJobs(2, {
        files: Object.fromEntries(
          Array.from({ length: 10 }, (_, at) => [`slow-${at}.md`, '*a_'.repeat(20_000)]),
        ),
        nodes: [PARTITION],
      }),
  },
  {
    name: 'nested blocks of 19 MB',
    run: (attacker) => attacker.partition('<div>'.repeat(3_800_000), 'deep.html'),
  },
  {
    name: 'one page of 20 MB',
    run: (attacker) => attacker.partition(`<p>${words(19_900_000)}</p>`, 'long.html'),
  },
  {
    name: 'a wiki that answers slowly',
    run: async (attacker) => {
      await attacker.wiki.control.fail({
        path: 'body-format|/body/|expand=body',
        delayMs: 58_000,
        times: null,
      })
      await attacker.runWiki(6)
    },
  },
  {
    name: 'lists of large connectors',
    run: async (attacker) => {
      const spaces = Array.from({ length: 90_000 }, (_, at) => `SPACE${at}`)
      await attacker.each(60, (at) => attacker.createSource(`large ${at}`, { spaces }))
      await attacker.each(14, () => attacker.api.get('/sources'), 14)
    },
  },
  {
    name: 'many scans of lists',
    run: (attacker) =>
      attacker.each(
        200,
        (at) => attacker.api.get(['/jobs', '/activity', '/overview', '/notifications?limit=100'][at % 4]!),
        20,
      ),
  },
  {
    name: 'large queries',
    run: (attacker) =>
      attacker.each(
        100,
        () =>
          attacker.api.post(`/destinations/${attacker.destinationId}/search`, {
            query: words(2_000),
            size: 100,
            neighbours: 3,
            facets: ['space_key', 'labels', 'filetype'],
            as: { user: 'someone', groups: Array.from({ length: 500 }, (_, group) => `group-${group}`) },
          }),
        10,
      ),
  },
]

const PARTITION = { name: 'P', type: 'partition', subtype: 'auto' }
const EMBED = { name: 'E', type: 'embed', subtype: 'local' }
const chunk = (settings: object) => ({ name: 'C', type: 'chunk', subtype: 'chunk_by_character', settings })

function words(length: number): string {
  return 'water turns the wheel of a mill '.repeat(Math.ceil(length / 32)).slice(0, length)
}
