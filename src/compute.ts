/**
 * Calls the function `name` of one of our modules in a process that serves no one. Input and result are copied. `filename`
 * names the document in errors.
 */
export type ComputeTask = { module: string; name: string; filename: string; input: unknown }
export type Compute = (task: ComputeTask, signal: AbortSignal) => Promise<unknown>

/** Larger input blocks the process for 30 ms and more. */
export const MAX_INLINE_LENGTH = 256 * 1024
