import { setPriority } from 'node:os'

// Every process of a test inherits it, except in files that assert durations.
setPriority(5)
