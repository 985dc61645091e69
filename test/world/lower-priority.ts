import { setPriority } from 'node:os'

// Inherited by every process that a test starts; test/run.ts leaves it out for the files that assert durations.
setPriority(5)
