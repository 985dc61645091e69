// Plain JavaScript, because a TypeScript file would load Node's compiler (14 MB) before the cache is on.
import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

// A folder that cannot be written leaves the cache off; NODE_COMPILE_CACHE, if set, is already in use.
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace', 'compiled'))
