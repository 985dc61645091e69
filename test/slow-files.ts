/** The slowest test files, longest first: they start first, so that no long one is left over at the end. */
export const SLOW_FILES = [
  'test/journey/rights-in-motion.test.ts',
  'test/journey/swap.test.ts',
  'test/journey/page-screens.test.ts',
  'test/journey/random-history.test.ts',
  'test/journey/ingest-trouble.test.ts',
  'test/journey/start.test.ts',
  'test/journey/trouble.test.ts',
  'test/journey/accounts.test.ts',
  'test/journey/page-accounts.test.ts',
  'test/journey/ingest.test.ts',
  'test/journey/another-index.test.ts',
  'src/store/embedded/start.world.test.ts',
  'test/journey/page-jobs.test.ts',
  'test/journey/ingest-package.test.ts',
  'test/journey/account-doors.test.ts',
  'test/journey/page-keyboard.test.ts',
  'test/journey/files.test.ts',
]

/** Files that assert durations or numbers of requests at a time; they get more of the processor. */
export const TIMED_FILES = [
  'test/journey/dying.test.ts',
  'test/journey/manners.test.ts',
  'src/pipeline/partition/reading/hostile-files.test.ts',
]
